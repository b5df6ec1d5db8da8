// How the tests run: one embedded PostgreSQL for the whole run, a database of its own for whoever asks.
import { configDefaults, defineConfig } from 'vitest/config'

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/fleet/**', 'test/nightly/**'],
    globalSetup: ['test/support/global-setup.ts', 'test/fleet/left-out.ts'],
    // processes, not threads: tests start servers, send signals and change folders
    pool: 'forks',
    // files of a worker share what they import: a third of the time was starting processes and reading modules again
    isolate: false,
    // two cores, of which PostgreSQL takes its share: with three the tests that compare times meet each other
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 30_000,
  },
})
