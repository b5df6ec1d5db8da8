// `npm test`: one embedded PostgreSQL for all tests. Each test file creates its own databases.

import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that compare the slowest responses. Tests that run at the same time would change the results. */
const SERIAL = ['packages/operator/test/hostile-clients.test.ts']

/** Options for tests of every kind. */
export const EVERY_TEST = {
  // processes instead of threads, because tests start servers, send signals, and change folders
  pool: 'forks',
  // the files of a worker share imported modules: to start processes and import modules again took a third of the time
  isolate: false,
  testTimeout: 20_000,
  hookTimeout: 30_000,
  teardownTimeout: 30_000,
  // a generous limit; a test sets its own if an event must come soon
  expect: { poll: { timeout: 10_000 } },
} as const

// vitest requires a default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts', 'test/support/fleet-left-out.ts'],
    projects: [
      {
        test: {
          ...EVERY_TEST,
          name: 'parallel',
          include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/fleet/**', 'test/nightly/**', 'test/site/**', ...SERIAL],
          // three workers use two cores fully, because tests sometimes wait
          maxWorkers: 3,
        },
      },
      {
        test: { ...EVERY_TEST, name: 'serial', include: SERIAL, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
