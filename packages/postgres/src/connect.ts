// Opens a connection to one of the hosts in a connection URL.

import { asError, Connection } from './connection.ts'
import { type ConnectionTarget, type DatabaseHost, hostText } from './connection-url.ts'
import { ConnectionError, PostgresError } from './errors.ts'
import { queryRows } from './query.ts'
import { sql } from './statement.ts'

/** What the owner of a connection decides. The URL decides the rest. */
export interface ConnectOptions {
  readonly applicationName: string
  /** Upper bound of opening it on all hosts, in ms. `connect_timeout` of the URL takes precedence. */
  readonly connectTimeoutMs?: number | undefined
  /** Called each time the server is ready for a statement: when it has accepted the session, and after each exchange. */
  readonly onReady?: (() => void) | undefined
}

const CONNECT_TIMEOUT_MS = 4000

/** Opens a connection to the first host that answers and fits, beginning with the one that was used last. */
export async function connect(target: ConnectionTarget, options: ConnectOptions): Promise<Connection> {
  const ofUrl = target.connectTimeoutSeconds
  const totalMs = ofUrl === null ? (options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS) : ofUrl * 1000
  const end = performance.now() + totalMs
  const first = lastUsed.get(target) ?? 0
  const errors: Error[] = []
  const kinds = kindsOf(target)
  let attemptsLeft = kinds.length * target.hosts.length
  for (const kind of kinds) {
    for (let index = 0; index < target.hosts.length; index++) {
      const place = (first + index) % target.hosts.length
      const timeoutMs = Math.max(1, Math.ceil((end - performance.now()) / attemptsLeft--))
      const deadline = performance.now() + timeoutMs
      try {
        const connection = await openWithin(timeoutMs, target, place, options)
        await requireKind(connection, kind, deadline)
        lastUsed.set(target, place)
        return connection
      } catch (error) {
        errors.push(asError(error))
      }
    }
  }
  throw summaryOf(errors)
}

async function openWithin(
  timeoutMs: number,
  target: ConnectionTarget,
  place: number,
  { applicationName, onReady }: ConnectOptions,
): Promise<Connection> {
  const address = target.hosts[place] as DatabaseHost
  const timeout = new AbortController()
  const timer = setTimeout(() => {
    const message = `${hostText(address)} did not accept the session within ${timeoutMs} ms`
    timeout.abort(new ConnectionError('CONNECT_TIMEOUT', message))
  }, timeoutMs)
  try {
    return await Connection.open(target, address, { applicationName, signal: timeout.signal, onReady })
  } finally {
    clearTimeout(timer)
  }
}

const lastUsed = new WeakMap<ConnectionTarget, number>()

/** prefer-standby takes any server if no standby responds. */
function kindsOf({ sessionAttributes }: ConnectionTarget): readonly ConnectionTarget['sessionAttributes'][] {
  return sessionAttributes === 'prefer-standby' ? ['standby', null] : [sessionAttributes]
}

async function requireKind(
  connection: Connection,
  kind: ConnectionTarget['sessionAttributes'],
  deadline: number,
): Promise<void> {
  if (kind === null) return
  const isStandby = await connectsToStandby(connection, deadline).catch((error: unknown) => {
    connection.destroy()
    throw error
  })
  if (isStandby === (kind !== 'primary')) return
  await connection.close()
  throw new ConnectionError('ENOTFITTING', `${connection.host} is not a ${kind} server`)
}

/** PostgreSQL 14 and later report it with the session. */
async function connectsToStandby(connection: Connection, deadline: number): Promise<boolean> {
  const reported = connection.parameters.get('in_hot_standby')
  if (reported !== undefined) return reported === 'on'
  const [row] = await queryRows<{ isStandby: boolean }>(connection, STANDBY, { deadline })
  return row?.isStandby === true
}

const STANDBY = sql`select pg_is_in_recovery() as "isStandby"`

/**
 * One host: its own error. Several: the error of a server that refused the session, because it says what to do, or else one
 * that names the problem of each host.
 */
function summaryOf(errors: readonly Error[]): Error {
  const [first] = errors
  if (first !== undefined && errors.length === 1) return first
  const refusal = errors.findLast((error) => error instanceof PostgresError)
  if (refusal !== undefined)
    return Object.assign(refusal, { cause: new AggregateError(errors.filter((error) => error !== refusal)) })
  const unfit = (error: Error) => error instanceof ConnectionError && error.code === 'ENOTFITTING'
  const last: (Error & { code?: unknown }) | undefined = errors.findLast((error) => !unfit(error)) ?? first
  const message = `no host accepted the session: ${errors.map((error) => error.message).join('; ')}`
  return new ConnectionError(String(last?.code ?? 'ECONNREFUSED'), message, { cause: new AggregateError(errors) })
}
