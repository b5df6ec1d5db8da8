// Declares the groups of tests that `npm run test:nightly` runs.

/** Tests that run together and share a report. */
export interface NightlyGroup {
  readonly name: string
  readonly title: string
  /** The property that the group proves, as a sentence for the summary table. */
  readonly proves: string
  /** Files, folders, or a configuration for `vitest run`; null if the group runs `npm run test:generators`. */
  readonly vitestArguments: readonly string[] | null
}

/** All groups, in the order in which they run. */
export const NIGHTLY_GROUPS: readonly NightlyGroup[] = [
  {
    name: 'incremental',
    title: 'Incremental syncs miss no change',
    proves:
      'A copy that stores the watermark misses no change, even if transactions commit late. A copy that stores the time of its own clock misses changes.',
    vitestArguments: [
      'test/late-commits.test.ts',
      'packages/api/test/transaction-wait.test.ts',
      'packages/api/test/incremental',
    ],
  },
  {
    name: 'personal-data',
    title: 'Keys without personal data',
    proves:
      'With a key that may not read personal data, a million random requests return, log, and record no personal value.',
    vitestArguments: ['packages/api/test/personal-data'],
  },
  {
    name: 'client',
    title: 'PostgreSQL client',
    proves: 'The PostgreSQL client stays correct with hostile servers, 10,000 random cancels, and lost connections.',
    vitestArguments: ['packages/postgres'],
  },
  {
    name: 'faults',
    title: 'Store databases that fail',
    proves:
      'If a store database is frozen, restarted, promoted, hostile, or migrated, other stores stay available, and full syncs continue.',
    vitestArguments: ['packages/operator/test/failures'],
  },
  {
    name: 'nodes',
    title: 'Several nodes, and a control database that fails',
    proves:
      'All nodes apply the same rate limits and revocations. They survive a crash of the control database and hostile clients. No response has rows of another store.',
    vitestArguments: [
      'packages/operator/test/nodes',
      'packages/operator/test/control',
      'packages/operator/test/hostile-clients',
    ],
  },
  {
    name: 'fleet',
    title: 'Behind nginx, HAProxy, and PgBouncer',
    proves:
      'The guarantees of the service hold behind nginx and HAProxy with the configurations in `deploy/`, and with PgBouncer, even during restarts.',
    vitestArguments: ['--config', 'vitest.fleet.config.ts'],
  },
  {
    name: 'pooled',
    title: 'Stores behind PgBouncer',
    proves: 'Every test of the API passes with PgBouncer in transaction mode in front of each store.',
    vitestArguments: ['--config', 'vitest.pooled.config.ts'],
  },
  {
    name: 'copies',
    title: 'Copies stay in sync',
    proves: 'A copy at each kind of destination equals its store after random writes, restarts, and killed runs.',
    vitestArguments: ['packages/sync/test/histories', 'packages/sync/test/kills'],
  },
  {
    name: 'generators',
    title: 'Generated clients',
    proves: 'Clients of each tested OpenAPI generator compile, read all orders, and wait after a 429.',
    vitestArguments: null,
  },
  {
    name: 'soak',
    title: 'Half an hour of mixed load',
    proves:
      "Under load, the service's memory grows by less than 1 MiB per hour, and its file descriptors by less than 10 per hour. It opens at most 10 database sessions.",
    vitestArguments: ['--config', 'vitest.nightly.config.ts'],
  },
]
