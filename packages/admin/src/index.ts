// The admin API, with which the backend of a platform creates stores, keys, and members. The package of the command
// line provides the operations that connect to store databases.

import { createAdminApp } from './app.ts'
import { BackgroundWork } from './background-work.ts'
import { Limiter } from './limiter.ts'
import { type AdminServer, type AdminTls, createAdminServer } from './server.ts'
import type { AdminServices } from './services.ts'

export { adminOpenApi } from './openapi.ts'
export { problemSections } from './problems.ts'
export type { AdminServer, AdminTls } from './server.ts'
export type { AdminEvent, AdminOperations } from './services.ts'

/** Number of operations that connect to store databases at the same time. */
const OPERATIONS_AT_ONCE = 4
/** Number of operations that can wait. Further requests get 503. */
const OPERATIONS_WAITING_MAX = 100

/** What the admin API needs from the service. */
export interface AdminApiOptions extends Omit<AdminServices, 'limiter' | 'background'> {
  /** Certificate and key; null for plain HTTP. */
  readonly tls: AdminTls | null
}

/**
 * Creates the server of the admin API, which doesn't listen yet. Its `stop` first drains the server. Then it ends
 * batches that still run without a client, and waits up to five seconds for them.
 */
export function createAdminApi({ tls, ...services }: AdminApiOptions): AdminServer {
  const limiter = new Limiter({ atOnce: OPERATIONS_AT_ONCE, waitingMax: OPERATIONS_WAITING_MAX })
  const background = new BackgroundWork()
  const { server, stop } = createAdminServer(createAdminApp({ ...services, limiter, background }), tls)
  return { server, stop: (drainMs) => stop(drainMs).then(() => background.end()) }
}
