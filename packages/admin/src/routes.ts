// Lists the routes of the admin API. app.ts adds the batch and `/openapi.json`.

import type { Route } from './route.ts'
import { AUDIT_ROUTES } from './routes/audit-events.ts'
import { KEY_ROUTES } from './routes/keys.ts'
import { MEMBER_ROUTES } from './routes/members.ts'
import { STORE_ROUTES } from './routes/stores.ts'

/** All routes with JSON bodies. */
export const ROUTES: readonly Route[] = [...STORE_ROUTES, ...KEY_ROUTES, ...MEMBER_ROUTES, ...AUDIT_ROUTES]

/** Path of the batch, whose bodies are NDJSON. */
export const BATCH_PATH = '/v1/stores/batch'
