// Random histories of SQLite files: see support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { sqliteDestinations } from './support/destinations.ts'

describeHistories('a SQLite file', 150, sqliteDestinations)
