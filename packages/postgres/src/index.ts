// A PostgreSQL client made for reading rows as bytes. It knows nothing of stores.

export { type Cell, holds, layBeside, MalformedRow, moveTo, newCell, viewOf } from './cell.ts'
export { openPool, type PoolSettings, rowReaderOf, type Sql } from './connection.ts'
export type { TakeRow } from './connection-messages.ts'
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
export { SlotRefusal, Slots, waitForTurn } from './slots.ts'
export { TimeLimitPassed, within } from './within.ts'
