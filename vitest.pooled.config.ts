// The API's tests with PgBouncer in transaction mode before every store. Part of `npm run test:nightly`.

import { defineConfig } from 'vitest/config'
import { EVERY_TEST } from './vitest.config.ts'

// Vitest requires a default export.
export default defineConfig({
  test: {
    ...EVERY_TEST,
    include: ['packages/api/test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/support/pooled-setup.ts'],
    maxWorkers: 2,
  },
})
