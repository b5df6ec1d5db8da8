// Exports a PostgreSQL client that reads rows as bytes or as objects. `connect` opens one connection, and `Pool` shares
// several. The package doesn't know stores.

export type { Request, Sink } from './batch.ts'
export {
  type Cell,
  cellEquals,
  firstValue,
  MalformedRow,
  moveTo,
  moveToValue,
  newCell,
  shareMemory,
  viewOf,
} from './cell.ts'
export { type ConnectOptions, connect } from './connect.ts'
export { Connection } from './connection.ts'
export {
  type ConnectionTarget,
  describeTls,
  InvalidUrlError,
  parseConnectionUrl,
  serverOf,
  serverOfUrl,
  splitPassword,
  withHosts,
  withPassword,
} from './connection-url.ts'
export { PostgresConnectionError, PostgresError } from './errors.ts'
export { Pool, type PoolOptions, type PoolSums } from './pool.ts'
export { collectRows, executeOn, queryAll, queryResult, queryRows, type RowSink, readRows } from './query.ts'
export {
  identifier,
  quoteIdentifier,
  type SqlFragment,
  type Statement,
  sql,
  type Value,
} from './statement.ts'
export { inTransaction } from './transaction.ts'
export { type RunOptions, TimeLimitPassed, within } from './within.ts'
