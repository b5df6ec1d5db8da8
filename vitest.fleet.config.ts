// `npm run test:fleet`: tests that need nginx, HAProxy, PgBouncer, promtool, MariaDB, Patroni with etcd, and the
// programs of PostgreSQL, which npm can't install.

import { defineConfig } from 'vitest/config'
import { isUndiciAssertion } from './packages/sync/src/cli/undici-assertion.ts'

// Vitest requires a default export.
export default defineConfig({
  test: {
    include: ['test/fleet/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Files run one at a time, because each starts several nodes and a proxy.
    maxWorkers: 1,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // Interrupted fetch clients can cause this error of Node (nodejs/undici#5360).
    onUnhandledError: (error) => !isUndiciAssertion(error),
  },
})
