// What all runs of the tests have in common.

/** How a file of tests runs. */
export const BASE = {
  // processes, not threads: tests start servers, send signals and change folders
  pool: 'forks',
  // files of a worker share what they import: a third of the time was starting processes and reading modules again
  isolate: false,
  testTimeout: 20_000,
  hookTimeout: 30_000,
} as const

/** One embedded PostgreSQL for the whole run. */
export const GLOBAL_SETUP = ['test/support/global-setup.ts']
