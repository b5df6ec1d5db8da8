// Random histories of PostgreSQL schemas: see support/history.ts.

import { describeHistories } from './support/describe-histories.ts'
import { postgresDestinations } from './support/destinations.ts'

describeHistories('a PostgreSQL schema', 12, postgresDestinations)
