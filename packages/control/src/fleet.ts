// Reads the state of the fleet for `store-export status`: nodes, stores, servers, and stores and keys with problems.
// Only the state of nodes is stored for this purpose: nodes.ts writes it with each announcement. The problems come from
// the last hour of the request log.

import { type Pool, serverOfUrl, sql, TimeLimitPassed, within } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from './database.ts'
import { IS_LIVE, type NodeServer } from './nodes.ts'
import { LostWorkersError, readWorkers, type Worker } from './workers.ts'

/** A node that was announced within the last hour, or before if no node has been announced since. */
export interface FleetNode {
  readonly name: string
  /** Null for a node of a version that did not announce it. */
  readonly version: string | null
  readonly startedAt: Date
  readonly seenAt: Date
  /** Whether the node has been announced within the last 45 s. Nodes that shut down are not in the list. */
  readonly isAlive: boolean
}

/** What all live nodes use of one database server. */
export interface FleetServer extends NodeServer {
  /** Number of live nodes that have connected to the server. */
  readonly nodes: number
  /** Highest share of a node's limit that is in use, from 0 to 1. */
  readonly saturation: number
}

/** Number of registered stores with this origin and state. */
export interface StoreCount {
  readonly origin: string
  readonly state: string
  readonly count: number
}

interface NamedStore {
  readonly id: string
  readonly externalId: string | null
  readonly name: string
}

/** A store, and its slowest request of the last hour, without those that failed with STORE_DB_ERROR. */
export interface SlowStore extends NamedStore {
  /** Duration of the slowest request. */
  readonly slowestMs: number
  /** Endpoint of the slowest request. */
  readonly endpoint: string
  /** All requests of the last hour. */
  readonly requests: number
}

/**
 * A store, and its requests with the code `STORE_DB_ERROR` in the last 15 minutes. The cause is usually its database.
 */
export interface FailingStore extends NamedStore {
  /** Hosts and ports of the database server; null for a store without a database, or with an invalid URL. */
  readonly server: string | null
  /** Number of these requests. They include other causes of the code, such as internal errors. */
  readonly errors: number
  readonly lastAt: Date
}

/**
 * A key, and its requests with the code `RATE_LIMITED` in the last 15 minutes: requests above the rate limit, or while
 * the key's response buffer was full.
 */
export interface LimitedKey {
  readonly id: string
  readonly name: string
  readonly storeId: string
  readonly storeName: string
  readonly rejected: number
  readonly lastAt: Date
}

/**
 * The state of the fleet. The lists of servers, stores with problems, and keys have at most `limit` entries, the worst
 * first.
 */
export interface FleetStatus {
  /** Time of the control database. */
  readonly at: Date
  /** All nodes: those that aren't alive first, then by name. */
  readonly nodes: readonly FleetNode[]
  /** The most frequent origin and state first. */
  readonly stores: readonly StoreCount[]
  readonly servers: readonly FleetServer[]
  /** Stores by the slowest request of the last hour that did not fail because of the database. */
  readonly slowestStores: readonly SlowStore[]
  /** Keys with rejected requests in the last 15 minutes. */
  readonly limitedKeys: readonly LimitedKey[]
  /** Stores with failed requests in the last 15 minutes. */
  readonly failingStores: readonly FailingStore[]
  /** The servers over which Citus distributes the control database: the lost ones first; none without Citus. */
  readonly workers: readonly Worker[]
  /** Why the request log could not be read, so that the three lists above are empty; null if it was read. */
  readonly requestLogError: unknown
}

/**
 * Returns the state of the fleet, with at most `limit` servers, stores, and keys in each list. Rejects like
 * `Pool.query`, for example if the control database is down, but not if only the request log can't be read.
 */
export async function readFleetStatus({ pool }: ControlDatabase, limit: number): Promise<FleetStatus> {
  const workers = await readWorkers({ pool })
  const { at } = await queryOne<{ at: Date }>(pool, sql`select clock_timestamp() as at`)
  const rows = await pool.query<FleetNode & { readonly servers: readonly NodeServer[] }>(sql`
    select name, version, started_at as "startedAt", seen_at as "seenAt", ${IS_LIVE} as "isAlive",
      servers
    from nodes order by "isAlive", name`)
  const live = rows.filter(({ isAlive }) => isAlive)
  return {
    at,
    nodes: rows.map(({ servers: _, ...node }) => node),
    servers: sumByServer(live.flatMap(({ servers }) => servers)).slice(0, limit),
    stores: await pool.query<StoreCount>(sql`
      select origin, state, count(*)::int as count from stores where removed_at is null
      group by origin, state order by count desc, origin, state`),
    workers,
    ...(await within(REQUEST_LOG_MS_MAX, readProblems(pool, limit, workers)).then(
      (problems) => ({ ...problems, requestLogError: null }),
      (error: unknown) => ({
        ...{ slowestStores: [], failingStores: [], limitedKeys: [] },
        requestLogError: error instanceof TimeLimitPassed ? slowRequestLog(workers) : error,
      }),
    )),
  }
}

/** Longest wait for the request log. The rest of the state is shown without it. */
const REQUEST_LOG_MS_MAX = 7000

function slowRequestLog(workers: readonly Worker[]): Error {
  const source = workers.length === 0 ? 'the control database' : 'a worker of the control database'
  return new Error(`${source} gave no result within ${REQUEST_LOG_MS_MAX} ms; check its load and its locks`)
}

/** The failures of a server, the worst first. A server has the worst failure of all nodes. */
const FAILURES = ['unreachable', 'timeout', 'full'] as const

/** Returns the use of each server by all nodes together: servers with a failure first, then the most saturated. */
export function sumByServer(uses: readonly NodeServer[]): FleetServer[] {
  const byServer = Map.groupBy(uses, ({ server }) => server)
  const sums = [...byServer].map(([server, each]) => {
    const sum = (numberOf: (use: NodeServer) => number) => each.reduce((total, use) => total + numberOf(use), 0)
    return {
      server,
      nodes: each.length,
      limit: sum(({ limit }) => limit),
      open: sum(({ open }) => open),
      inUse: sum(({ inUse }) => inUse),
      waiting: sum(({ waiting }) => waiting),
      failure: FAILURES.find((failure) => each.some((use) => use.failure === failure)) ?? null,
      saturation: Math.max(...each.map(({ inUse, limit }) => inUse / limit)),
    }
  })
  return sums.toSorted(
    (a, b) =>
      Number(b.failure !== null) - Number(a.failure !== null) ||
      b.saturation - a.saturation ||
      b.waiting - a.waiting ||
      (a.server < b.server ? -1 : 1),
  )
}

/** A store or a key with the numbers that put it into a list. */
interface Finding {
  readonly kind: 'slow' | 'failing' | 'limited'
  readonly storeId: string
  readonly externalId: string | null
  readonly storeName: string
  readonly databaseUrl: string | null
  /** Null unless `kind` is `limited`. */
  readonly keyId: string | null
  readonly keyName: string | null
  /** Milliseconds of the slowest request if `kind` is `slow`; otherwise a number of requests. */
  readonly value: number
  readonly requests: number
  /** Null if `kind` is `slow`. */
  readonly lastAt: Date | null
}

/**
 * Reads the last hour of the request log once, which takes most of the time. Compares with `now()`, because
 * `clock_timestamp()` is volatile and so prevents the use of the index.
 */
async function readProblems(
  pool: Pool,
  limit: number,
  workers: readonly Worker[],
): Promise<Pick<FleetStatus, 'slowestStores' | 'limitedKeys' | 'failingStores'>> {
  // The workers store the request log. If one of them hangs, a query would wait for it.
  const lost = workers.filter(({ failure }) => failure !== null)
  if (lost.length > 0) throw new LostWorkersError(lost)
  const recently = sql`minute > now() - interval '15 minutes'`
  const lastHour = sql`minute > now() - interval '1 hour'`
  const found = await pool.query<Finding>(sql`
    with keys as materialized (
      select l.*, k.store_id, k.name from (
        select key_id, sum(requests) as requests,
          max(duration_ms) filter (where code <> 'STORE_DB_ERROR') as slowest,
          sum(requests) filter (where code = 'STORE_DB_ERROR' and ${recently}) as errors,
          max(last_at) filter (where code = 'STORE_DB_ERROR' and ${recently}) as error_at,
          sum(requests) filter (where code = 'RATE_LIMITED' and ${recently}) as rejected,
          max(last_at) filter (where code = 'RATE_LIMITED' and ${recently}) as rejected_at
        from request_log where ${lastHour} group by key_id
      ) l join api_keys k on k.id = l.key_id join stores s on s.id = k.store_id and s.removed_at is null
    ), stores_used as materialized (
      select store_id, max(slowest) as slowest, sum(requests) as requests, sum(errors) as errors,
        max(error_at) as error_at
      from keys group by store_id
    ), found as (
      (select 'slow' as kind, store_id, null::uuid as key_id, null as key_name, slowest as value, requests,
        null::timestamptz as last_at from stores_used
        where slowest is not null order by slowest desc, store_id limit ${limit}::int)
      union all
      (select 'failing', store_id, null, null, errors, requests, error_at from stores_used
        where errors > 0 order by errors desc, store_id limit ${limit}::int)
      union all
      (select 'limited', store_id, key_id, name, rejected, requests, rejected_at from keys
        where rejected > 0 order by rejected desc, key_id limit ${limit}::int)
    )
    select f.kind, s.id as "storeId", s.external_id as "externalId", s.name as "storeName",
      s.database_url as "databaseUrl", f.key_id as "keyId", f.key_name as "keyName",
      f.value::float8 as value, f.requests::float8 as requests, f.last_at as "lastAt"
    from found f join stores s on s.id = f.store_id
    order by f.value desc, s.id, f.key_id`)
  const of = (kind: Finding['kind']) => found.filter((each) => each.kind === kind)
  const slowest = await pool.query<{ storeId: string; endpoint: string }>(sql`
    select distinct on (k.store_id) k.store_id as "storeId", l.endpoint
    from request_log l join api_keys k on k.id = l.key_id
    where k.store_id = any (${of('slow').map(({ storeId }) => storeId)}::uuid[]) and ${lastHour}
      and l.code <> 'STORE_DB_ERROR'
    order by k.store_id, l.duration_ms desc`)
  const endpoints = new Map(slowest.map(({ storeId, endpoint }) => [storeId, endpoint]))
  const storeOf = ({ storeId: id, externalId, storeName: name }: Finding) => ({ id, externalId, name })
  return {
    slowestStores: of('slow').map((each) => ({
      ...storeOf(each),
      slowestMs: each.value,
      endpoint: endpoints.get(each.storeId) ?? '',
      requests: each.requests,
    })),
    failingStores: of('failing').map((each) => ({
      ...storeOf(each),
      server: serverOfUrl(each.databaseUrl),
      errors: each.value,
      lastAt: timeOf(each),
    })),
    limitedKeys: of('limited').map((each) => ({
      id: each.keyId ?? '',
      name: each.keyName ?? '',
      storeId: each.storeId,
      storeName: each.storeName,
      rejected: each.value,
      lastAt: timeOf(each),
    })),
  }
}

function timeOf({ lastAt }: Finding): Date {
  if (lastAt === null) throw new TypeError('a line of the request log has no time')
  return lastAt
}
