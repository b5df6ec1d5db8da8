// The tests of the API with PgBouncer in transaction mode before every store: what they promise holds there, too. Part of
// `npm run test:nightly`.
import { defineConfig } from 'vitest/config'
import { EVERY_TEST } from './vitest.config.ts'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    ...EVERY_TEST,
    include: ['packages/api/test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/support/pooled-setup.ts'],
    maxWorkers: 2,
  },
})
