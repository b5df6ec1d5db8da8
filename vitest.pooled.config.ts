// The tests of the API with PgBouncer in transaction mode before every store: what they promise holds there, too. Part of
// `npm run test:nightly`.
import { defineConfig } from 'vitest/config'
import direct from './vitest.config.ts'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    ...direct.test,
    include: ['packages/api/test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/fleet/pooled-setup.ts'],
  },
})
