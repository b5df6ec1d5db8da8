// Tests that take long even where they find nothing: `npm run test:nightly` runs them, beside the long form of others.
import { defineConfig } from 'vitest/config'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    include: ['test/nightly/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    teardownTimeout: 30_000,
  },
})
