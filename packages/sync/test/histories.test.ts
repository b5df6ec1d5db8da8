// Tests random histories of SQLite copies. A history is described in support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { sqliteDestinations } from './support/destinations.ts'

describeHistories('random histories of a SQLite file', 150, sqliteDestinations)
