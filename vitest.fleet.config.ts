// The tests that need programs which npm does not bring: nginx, HAProxy, PgBouncer, promtool. `npm run test:fleet` runs them.
import { defineConfig } from 'vitest/config'
import { isUndiciAssertion } from './packages/sync/src/cli/undici-assertion.ts'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    include: ['test/fleet/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // one file at a time: each runs several nodes and a proxy on two cores
    maxWorkers: 1,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // among clients of every kind that are cut off are some that use fetch
    onUnhandledError: (error) => !isUndiciAssertion(error),
  },
})
