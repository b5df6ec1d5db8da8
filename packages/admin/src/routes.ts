// Lists the routes of the admin API. app.ts adds `/openapi.json`.

import { type Batch, batchOf } from './batch.ts'
import type { Route } from './route.ts'
import { AUDIT_ROUTES } from './routes/audit-events.ts'
import { KEY_ROUTES } from './routes/keys.ts'
import { MEMBER_ROUTES } from './routes/members.ts'
import { STORE_ROUTES } from './routes/stores.ts'

/** All routes with JSON bodies. */
export const ROUTES: readonly Route[] = [...STORE_ROUTES, ...KEY_ROUTES, ...MEMBER_ROUTES, ...AUDIT_ROUTES]

/** All routes with NDJSON bodies. */
export const BATCHES: readonly Batch[] = ROUTES.flatMap((route) =>
  route.batch === undefined ? [] : [batchOf(route, route.batch)],
)
