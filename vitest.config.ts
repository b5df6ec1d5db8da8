// Configures `npm test`. All tests share one embedded PostgreSQL, on which each test file creates its own databases.

import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that limit the slowest response. Tests that run at the same time would change the results. */
const SERIAL = [
  'packages/operator/test/hostile-clients.test.ts',
  'packages/operator/test/failures/hostile-databases.test.ts',
]

/** Options for tests of every kind. */
export const EVERY_TEST = {
  // Tests run in processes instead of threads, because they start servers, send signals, and change folders.
  pool: 'forks',
  // The files of a worker share imported modules. Separate processes and imports took a third of the time.
  isolate: false,
  testTimeout: 20_000,
  hookTimeout: 30_000,
  teardownTimeout: 30_000,
  // This limit is generous. A test sets a shorter one if an event must come soon.
  expect: { poll: { timeout: 10_000 } },
} as const

// Vitest requires a default export.
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts', 'test/support/fleet-left-out.ts'],
    projects: [
      {
        test: {
          ...EVERY_TEST,
          name: 'parallel',
          include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/{citus,fleet,nightly,packages,site}/**', ...SERIAL],
          // Three workers use two cores fully, because tests sometimes wait.
          maxWorkers: 3,
        },
      },
      {
        test: { ...EVERY_TEST, name: 'serial', include: SERIAL, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
