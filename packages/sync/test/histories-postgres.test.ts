// Tests random histories of PostgreSQL copies. A history is described in support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { postgresDestinations } from './support/destinations.ts'

describeHistories('random histories of a PostgreSQL schema', 12, postgresDestinations)
