// How the tests run: one embedded PostgreSQL for the whole run, a database of its own for whoever asks.
import { configDefaults, defineConfig } from 'vitest/config'
import { BASE, GLOBAL_SETUP } from './vitest.base.ts'

/** Tests that compare times, and would measure what runs beside them: they have the machine to themselves. */
const TIMED = ['packages/operator/test/hostile-clients.test.ts', 'packages/operator/test/faults/frozen.test.ts']

// the one default export: vitest reads no other
export default defineConfig({
  test: {
    globalSetup: [...GLOBAL_SETUP, 'test/fleet/left-out.ts'],
    teardownTimeout: 30_000,
    projects: [
      { test: { ...BASE, name: 'timed', include: TIMED, maxWorkers: 2, sequence: { groupOrder: 0 } } },
      {
        test: {
          ...BASE,
          name: 'all',
          include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/fleet/**', 'test/nightly/**', ...TIMED],
          // more than a small machine has cores: many tests wait for what they started
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
