// A PostgreSQL client made for reading rows as bytes. It knows nothing of stores.

export type { Request, Sink } from './batch.ts'
export { type Cell, holds, layBeside, MalformedRow, moveTo, newCell, viewOf } from './cell.ts'
export { type ConnectOptions, connect } from './connect.ts'
export { Connection, type RunOptions } from './connection.ts'
export {
  type ConnectionTarget,
  ConnectionUrlProblem,
  describeTls,
  parseConnectionUrl,
  serverOf,
  splitPassword,
  withPassword,
} from './connection-url.ts'
export { firstValue, moveToValue } from './data-row.ts'
export { ConnectionError, PostgresError } from './errors.ts'
export { inTransaction, Pool, type PoolOptions, type PoolSums } from './pool.ts'
export { executeOn, queryAll, queryResult, queryRows, readRows, type TakeRow } from './query.ts'
export { SlotRefusal, Slots, waitForTurn } from './slots.ts'
export {
  identifier,
  quoteIdentifier,
  rawSql,
  type SqlFragment,
  type Statement,
  sql,
  type Value,
} from './statement.ts'
export { TimeLimitPassed, within } from './within.ts'
