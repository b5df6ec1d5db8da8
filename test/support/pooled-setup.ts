// Starts PgBouncer before the tests' PostgreSQL. Tests then reach stores through it.

import type { TestProject } from 'vitest/node'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'
import { runPgbouncer } from './programs.ts'

/** Called by vitest when the server runs. Vitest calls the returned function after the last test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const port = await nonEphemeralPort()
  const url = project.getProvidedContext().postgresUrl
  const pgbouncer = await runPgbouncer({
    port,
    urls: [url],
    // Tests create and drop roles, so PgBouncer looks up their passwords with `auth_user`.
    settings: `auth_user = ${new URL(url).username}\nmax_client_conn = 1000\nserver_idle_timeout = 5\nserver_login_retry = 0.1`,
  })
  project.provide('poolerPort', port)
  return pgbouncer.remove
}
