// Runs transactions on one connection.

import type { Connection } from './connection.ts'
import { executeOn } from './query.ts'
import { sql } from './statement.ts'
import type { RunOptions } from './within.ts'

/** Time limit of a rollback. The deadline of the transaction may have passed. */
const ROLLBACK_MS = 1000

/**
 * Runs `work` in a transaction of this connection, and commits. Calls must not be nested, because the inner COMMIT
 * would end the outer transaction. If `work` rejects, rolls back and rejects like `work`. If `work` ignored the error
 * of a statement, rolls back and rejects with `Error`. Rejects like `executeOn` if BEGIN or COMMIT fails. `options`
 * limit only these two statements. A rollback has a limit of one second, and its error is ignored.
 */
export async function inTransaction<T>(
  connection: Connection,
  work: () => Promise<T>,
  options: RunOptions = {},
): Promise<T> {
  await executeOn(connection, sql`begin`, options)
  try {
    const result = await work()
    // COMMIT would roll back, but report success.
    if (connection.transaction === 'failed')
      throw new Error('a statement of the transaction failed, so it is rolled back')
    await executeOn(connection, sql`commit`, options)
    return result
  } catch (error) {
    // If the rollback is not possible or fails, the pool closes the connection.
    const canRollBack = !connection.isClosed && !connection.isBusy && connection.transaction !== 'none'
    const deadline = performance.now() + ROLLBACK_MS
    if (canRollBack) await executeOn(connection, sql`rollback`, { deadline }).catch(() => undefined)
    throw error
  }
}
