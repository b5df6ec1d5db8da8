// Opens a connection to one of the hosts in a connection URL.

import { Connection, type ConnectionOptions } from './connection.ts'
import { type ConnectionTarget, type DatabaseHost, hostText } from './connection-url.ts'
import { asError, PostgresConnectionError, PostgresError } from './errors.ts'
import { queryRows } from './query.ts'
import { sql } from './statement.ts'

/** The name of a session, a callback for its exchanges, and the time limit for opening it. */
export interface ConnectOptions extends ConnectionOptions {
  /** Time limit for all hosts together, in ms; 4000 by default. `connect_timeout` of the URL takes precedence. */
  readonly connectTimeoutMs?: number | undefined
}

const CONNECT_TIMEOUT_MS = 4000

/** Index of the host to which the last connection of a target was opened. */
const lastUsed = new WeakMap<ConnectionTarget, number>()

/**
 * Opens a connection to the first host that accepts the session and is of the kind that the URL demands. Tries the host
 * of the last connection first. Each attempt gets an equal share of the time that is left. Close the connection
 * after its use.
 *
 * After a single attempt, rejects with its error. After several attempts, rejects with the last `PostgresError`, with
 * which a server refused the session. If there is none, rejects with `PostgresConnectionError`, whose message names
 * each error.
 */
export async function connect(target: ConnectionTarget, options: ConnectOptions): Promise<Connection> {
  const { hosts, connectTimeoutSeconds, sessionAttributes } = target
  const totalMs =
    connectTimeoutSeconds === null ? (options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS) : connectTimeoutSeconds * 1000
  const end = performance.now() + totalMs
  const first = lastUsed.get(target) ?? 0
  // If no standby responds, `prefer-standby` accepts any server.
  const kinds = sessionAttributes === 'prefer-standby' ? (['standby', null] as const) : [sessionAttributes]
  const attempts = kinds.flatMap((kind) => hosts.map((_, index) => ({ kind, index: (first + index) % hosts.length })))
  const errors: Error[] = []
  for (const [tried, { kind, index }] of attempts.entries()) {
    const timeoutMs = Math.max(1, Math.ceil((end - performance.now()) / (attempts.length - tried)))
    const deadline = performance.now() + timeoutMs
    try {
      const connection = await openWithin(timeoutMs, target, hosts[index] as DatabaseHost, options)
      if (kind !== null) await requireKind(connection, kind, deadline)
      lastUsed.set(target, index)
      return connection
    } catch (error) {
      errors.push(asError(error))
    }
  }
  throw summaryOf(errors)
}

async function openWithin(
  timeoutMs: number,
  target: ConnectionTarget,
  address: DatabaseHost,
  options: ConnectionOptions,
): Promise<Connection> {
  const timeout = new AbortController()
  const timer = setTimeout(() => {
    const message = `${hostText(address)} did not accept the session within ${timeoutMs} ms`
    timeout.abort(new PostgresConnectionError('CONNECT_TIMEOUT', message))
  }, timeoutMs)
  try {
    return await Connection.open(target, address, options, timeout.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Closes the connection and rejects if the server is of another kind, or if the client cannot find out its kind. */
async function requireKind(connection: Connection, kind: 'primary' | 'standby', deadline: number): Promise<void> {
  const isStandby = await connectsToStandby(connection, deadline).catch((error: unknown) => {
    connection.destroy()
    throw error
  })
  if (isStandby === (kind === 'standby')) return
  await connection.close()
  throw new PostgresConnectionError('NO_MATCHING_SERVER', `${connection.host} is not a ${kind} server`)
}

/**
 * Whether the server is a standby. PostgreSQL 14 and later report this at the start of the session. Earlier versions
 * need a query.
 */
async function connectsToStandby(connection: Connection, deadline: number): Promise<boolean> {
  const reported = connection.parameters.get('in_hot_standby')
  if (reported !== undefined) return reported === 'on'
  const standby = sql`select pg_is_in_recovery() as "isStandby"`
  const [row] = await queryRows<{ isStandby: boolean }>(connection, standby, { deadline })
  return row?.isStandby === true
}

/**
 * Returns the error to reject with. A single error stays unchanged. Among several errors, this is the last one of a
 * server that refused the session, because it says what to do. If there is none, the message names all errors. Its code
 * is then that of the last error other than `NO_MATCHING_SERVER`, if possible.
 */
function summaryOf(errors: readonly Error[]): Error {
  const [first] = errors
  if (first !== undefined && errors.length === 1) return first
  const refusal = errors.findLast((error) => error instanceof PostgresError)
  if (refusal !== undefined)
    return Object.assign(refusal, { cause: new AggregateError(errors.filter((error) => error !== refusal)) })
  const unfit = (error: Error) => error instanceof PostgresConnectionError && error.code === 'NO_MATCHING_SERVER'
  const last: (Error & { code?: unknown }) | undefined = errors.findLast((error) => !unfit(error)) ?? first
  const message = `no host accepted the session: ${errors.map((error) => error.message).join('; ')}`
  return new PostgresConnectionError(String(last?.code ?? 'ECONNREFUSED'), message, {
    cause: new AggregateError(errors),
  })
}
