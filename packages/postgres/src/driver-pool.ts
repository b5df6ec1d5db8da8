// Opens a pool of connections on what a connection URL says: the only place that calls the driver.
// It chooses among several hosts; the sockets are connection-socket.ts.

import { Socket } from 'node:net'
import postgres from 'postgres'
import { RowReader } from './connection-messages.ts'
import { openSocket, type SocketSettings } from './connection-socket.ts'
import { spread } from './connection-spread.ts'
import { type ConnectionTarget, type DatabaseHost, hostText } from './connection-url.ts'

/** The driver's pool; a tagged template that runs statements. */
export type Sql = postgres.Sql

/** What the pool's owner decides, where the URL decides the rest. */
export interface PoolSettings {
  readonly connectionsMax: number
  readonly applicationName: string
  /** Off behind PgBouncer in transaction mode. */
  readonly preparedStatements?: boolean
  /** Seconds until an idle connection is closed; null keeps it. */
  readonly idleSeconds?: number | null
  /** Upper bound for one connection; the URL's connect_timeout counts when it is given. */
  readonly connectTimeoutMs?: number
  /** Called when a socket to the server has opened, and when such a one has closed. */
  readonly onOpen?: () => void
  /** Called when the server is ready for the first statement on such a socket, and again after that statement. */
  readonly onReady?: () => void
  readonly onClose?: () => void
}

const CONNECT_TIMEOUT_MS = 4_000
const SECONDS_PER_PROBE = 4
/** Whoever waits has a time limit of its own; the driver's pauses grow to 20 s, long after the server is back. */
const RECONNECT_PAUSE_SECONDS = 0.05

const readers = new WeakMap<Sql, RowReader>()

/** Who takes rows on the connection of this pool, which holds one at most. */
export function rowReaderOf(sql: Sql): RowReader {
  const reader = readers.get(sql)
  if (reader === undefined) throw new TypeError('rows are taken from a pool of one connection alone')
  return reader
}

/** A pool that connects on its first statement. Statements reject with the driver's or the system's error. */
export function openPool(target: ConnectionTarget, settings: PoolSettings): Sql {
  const open = () => openOne(target, settings)
  return settings.connectionsMax === 1 ? open() : spread(Array.from({ length: settings.connectionsMax }, open))
}

function openOne(target: ConnectionTarget, settings: PoolSettings): Sql {
  const timeoutMs = connectTimeoutMs(target, settings)
  const reader = new RowReader()
  const options = {
    ...driverOptions(target, timeoutMs),
    max: 1,
    prepare: settings.preparedStatements ?? true,
    idle_timeout: settings.idleSeconds ?? undefined,
    connection: { application_name: settings.applicationName, ...target.startup },
    socket: unlost(counted(socketFactory(target, { timeoutMs, reader, onReady: settings.onReady }), settings)),
    backoff: () => RECONNECT_PAUSE_SECONDS,
  }
  const sql = withoutEnvironment(() => postgres(options))
  readers.set(sql, reader)
  return sql
}

/** PG* variables are meant for other programs and other servers: the driver takes from them what it is not told. */
function withoutEnvironment<T>(make: () => T): T {
  const { env } = process
  process.env = {}
  try {
    return make()
  } finally {
    process.env = env
  }
}

function driverOptions(target: ConnectionTarget, timeoutMs: number) {
  const [first] = target.hosts
  return {
    // Named in the driver's messages only: the socket comes from socketFactory.
    ...(first?.kind === 'unix'
      ? { path: first.path }
      : { host: first?.host ?? 'localhost', port: first?.port ?? 5432 }),
    ...(target.user === null ? {} : { user: target.user }),
    ...(target.database === null ? {} : { database: target.database }),
    password: target.password ?? '',
    ssl: false,
    connect_timeout: Math.ceil(timeoutMs / 1000),
    // Array types are not asked for: it costs a round trip for each connection, and we bind texts.
    fetch_types: false,
    keep_alive: 60,
    onnotice: () => undefined,
  }
}

function connectTimeoutMs(target: ConnectionTarget, settings: PoolSettings): number {
  const ofUrl = target.connectTimeoutSeconds
  return ofUrl === null ? (settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS) : ofUrl * 1000
}

/**
 * The driver forgets for ever a connection whose socket could not be made (postgres.js 3.4.9: `createSocket` tells the
 * error and closes nothing); one whose socket fails is closed, and used again.
 */
function unlost(connect: () => Promise<Socket>): () => Promise<Socket> {
  return async () => {
    try {
      return await connect()
    } catch (cause) {
      return new UnmadeSocket(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }
}

/** Fails with the first byte that is written: the driver counts on that one to leave before a connection ends. */
class UnmadeSocket extends Socket {
  readonly #cause: Error

  constructor(cause: Error) {
    super()
    this.#cause = cause
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: (error: Error) => void): void {
    done(this.#cause)
  }
}

/** The driver has a hook for closed connections only, and none for those it makes to cancel a statement. */
function counted(connect: () => Promise<Socket>, { onOpen, onClose }: PoolSettings): () => Promise<Socket> {
  return async () => {
    const socket = await connect()
    onOpen?.()
    if (onClose !== undefined) socket.once('close', onClose)
    return socket
  }
}

/** Gives the driver a socket to the first host that answers and fits, beginning with the one used last. */
function socketFactory(target: ConnectionTarget, settings: Omit<SocketSettings, 'tls'>): () => Promise<Socket> {
  let preferred = 0
  return async () => {
    const order = target.hosts.map((_, index) => (preferred + index) % target.hosts.length)
    const problems: unknown[] = []
    for (const wanted of passes(target)) {
      for (const index of order) {
        const host = target.hosts[index]
        if (host === undefined) {
          continue
        }
        try {
          const timeoutMs = Math.ceil(settings.timeoutMs / target.hosts.length)
          const socket = await openFitting(target, { host, wanted }, { ...settings, timeoutMs })
          preferred = index
          return socket
        } catch (error) {
          problems.push(error)
        }
      }
    }
    throw summary(problems)
  }
}

/** prefer-standby takes any server when no standby answers. */
function passes(target: ConnectionTarget): readonly ConnectionTarget['sessionAttributes'][] {
  return target.sessionAttributes === 'prefer-standby' ? ['standby', null] : [target.sessionAttributes]
}

async function openFitting(
  target: ConnectionTarget,
  choice: { readonly host: DatabaseHost; readonly wanted: ConnectionTarget['sessionAttributes'] },
  settings: Omit<SocketSettings, 'tls'>,
): Promise<Socket> {
  const { host, wanted } = choice
  if (wanted !== null && (await isStandby(target, host, settings.timeoutMs)) !== (wanted !== 'primary')) {
    throw Object.assign(new Error(`${hostText(host)} is no ${wanted} server`), { code: 'ENOTFITTING' })
  }
  return openSocket(host, { ...settings, tls: target.tls })
}

/** Whether a server is a standby. Uses a separate connection, because the driver's own check gives up at the first host. */
async function isStandby(target: ConnectionTarget, host: DatabaseHost, timeoutMs: number): Promise<boolean> {
  const single = { ...target, hosts: [host], sessionAttributes: null }
  const sql = openPool(single, {
    connectionsMax: 1,
    applicationName: 'store-export probe',
    connectTimeoutMs: timeoutMs,
  })
  try {
    const [row] = await sql<[{ standby: boolean }]>`select pg_is_in_recovery() as standby`
    return row.standby
  } finally {
    await sql.end({ timeout: SECONDS_PER_PROBE })
  }
}

/** One host: its own error. Several: one that names each, with the last one's code. */
function summary(problems: readonly unknown[]): Error {
  const errors = problems.map((problem) => (problem instanceof Error ? problem : new Error(String(problem))))
  const [first] = errors
  if (first !== undefined && errors.length === 1) {
    return first
  }
  const last: (Error & { code?: unknown }) | undefined = errors.at(-1)
  const message = `no host fits: ${errors.map((error) => error.message).join('; ')}`
  return Object.assign(new AggregateError(errors, message), { code: last?.code })
}
