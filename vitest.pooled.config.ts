// The tests of the API with PgBouncer in transaction mode before every store: what they promise holds there, too. Part of
// `npm run test:nightly`.
import { defineConfig } from 'vitest/config'
import { BASE, GLOBAL_SETUP } from './vitest.base.ts'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    ...BASE,
    include: ['packages/api/test/**/*.test.ts'],
    globalSetup: [...GLOBAL_SETUP, 'test/fleet/pooled-setup.ts'],
    teardownTimeout: 30_000,
    // two cores, of which PostgreSQL and PgBouncer take their share
    maxWorkers: 2,
  },
})
