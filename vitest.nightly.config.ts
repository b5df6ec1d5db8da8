// Tests that take long even where they find nothing: `npm run test:nightly` runs them, beside the long form of others.
import { defineConfig } from 'vitest/config'
import { GLOBAL_SETUP } from './vitest.base.ts'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    include: ['test/nightly/**/*.test.ts'],
    globalSetup: GLOBAL_SETUP,
    pool: 'forks',
    maxWorkers: 1,
    teardownTimeout: 30_000,
  },
})
