// Starts PgBouncer before the PostgreSQL of the tests: stores are then reached through it.

import type { TestProject } from 'vitest/node'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'
import { runPgbouncer } from './programs.ts'

/** Run by vitest before the first test, after the server has started; the function it answers after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const port = await nonEphemeralPort()
  const url = project.getProvidedContext().postgresUrl
  const pgbouncer = await runPgbouncer({
    port,
    urls: [url],
    // roles come and go with the tests: their secrets are asked for
    settings: `auth_user = ${new URL(url).username}\nmax_client_conn = 1000\nserver_idle_timeout = 5\nserver_login_retry = 0.1`,
  })
  project.provide('poolerPort', port)
  return pgbouncer.remove
}
