// How the tests run: one embedded PostgreSQL for the whole run, a database of its own for whoever asks.
import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that compare the slowest answers: whatever ran beside them would be measured, too. */
const ALONE = ['packages/operator/test/hostile-clients.test.ts']

/** What holds for tests of every kind. */
export const EVERY_TEST = {
  // processes, not threads: tests start servers, send signals and change folders
  pool: 'forks',
  // files of a worker share what they import: a third of the time was starting processes and reading modules again
  isolate: false,
  testTimeout: 20_000,
  hookTimeout: 30_000,
  teardownTimeout: 30_000,
  // what is waited for comes at some time; where it must come soon, the test says how soon
  expect: { poll: { timeout: 10_000 } },
} as const

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts', 'test/support/fleet-left-out.ts'],
    projects: [
      {
        test: {
          ...EVERY_TEST,
          name: 'beside each other',
          include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/fleet/**', 'test/nightly/**', 'test/site/**', ...ALONE],
          // two cores are busy with three of them: a test waits now and then
          maxWorkers: 3,
        },
      },
      {
        test: { ...EVERY_TEST, name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
