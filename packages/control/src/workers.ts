// Checks the servers (workers) over which Citus distributes the control database, so that `status` and `doctor` name
// the lost ones.

import { executeOn, queryRows, sql, TimeLimitPassed } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import { isDistributed } from './distribute.ts'

/** A worker of a distributed control database, as the coordinator reaches it. */
export interface Worker {
  /** Host and port. */
  readonly server: string
  /**
   * Why the coordinator can't connect to the worker; null if it can. A worker that accepts no connection within 2 s, or
   * doesn't respond on it within 4 s, has the failure `timeout`.
   */
  readonly failure: 'unreachable' | 'timeout' | null
}

interface Node {
  readonly host: string
  readonly port: number
}

/** Thrown instead of a query that needs all workers, if some of them are lost. */
export class LostWorkersError extends Error {
  override readonly name = 'LostWorkersError'

  constructor(lost: readonly Worker[]) {
    const [all, each] = lost.length === 1 ? ['this worker', 'its standby'] : ['these workers', 'their standbys']
    super(
      `the coordinator can't connect to ${all} of the control database: ${lost.map(({ server }) => server).join(', ')}; ` +
        `restart PostgreSQL there, or promote ${each}`,
    )
  }
}

const CONNECT_MS_MAX = 2000
/** Maximum time of a check. It ends a check that the coordinator doesn't end after `CONNECT_MS_MAX`. */
const CHECK_MS_MAX = 4000

/**
 * Returns the workers, those with a failure first; none if the control database is not distributed. Takes at most four
 * seconds for each worker, and as many workers at the same time as the pool has connections. Rejects like `Pool.query`.
 */
export async function readWorkers({ pool }: Pick<ControlDatabase, 'pool'>): Promise<Worker[]> {
  if (!(await isDistributed({ pool }))) return []
  const nodes = await pool.query<Node>(sql`
    select nodename as host, nodeport as port from pg_dist_node
    where groupid > 0 and noderole = 'primary' and isactive order by nodename, nodeport`)
  const workers = await Promise.all(
    nodes.map(async (node) => ({ server: `${node.host}:${node.port}`, failure: await failureOf({ pool }, node) })),
  )
  return workers.toSorted((a, b) => Number(a.failure === null) - Number(b.failure === null))
}

/** Connects to a worker through the coordinator, and returns the failure. */
async function failureOf({ pool }: Pick<ControlDatabase, 'pool'>, { host, port }: Node): Promise<Worker['failure']> {
  const timeout = sql`select set_config('citus.node_connection_timeout', ${String(CONNECT_MS_MAX)}, true)`
  const check = sql`select citus_check_connection_to_node(${host}, ${port}) as "isReachable"`
  try {
    return await pool.transaction(async (connection) => {
      await executeOn(connection, timeout)
      const since = performance.now()
      const [row] = await queryRows<{ isReachable: boolean }>(connection, check, { deadline: since + CHECK_MS_MAX })
      if (row?.isReachable === true) return null
      return performance.now() - since < CONNECT_MS_MAX ? 'unreachable' : 'timeout'
    })
  } catch (error) {
    if (error instanceof TimeLimitPassed) return 'timeout'
    throw error
  }
}
