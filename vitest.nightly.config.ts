// Tests that only `npm run test:nightly` runs, because they always take long.

import { defineConfig } from 'vitest/config'

// Vitest requires a default export.
export default defineConfig({
  test: {
    include: ['test/nightly/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    teardownTimeout: 30_000,
  },
})
