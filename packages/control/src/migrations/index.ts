// All migrations of the control database, by name in the order in which they run. A released one never changes. Their
// names are known to every process; what they do is loaded when they run.

import type { Migration } from 'kysely'

/** Migrations by name; the names sort in their order. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-stores-and-keys': { up: async (database) => (await import('./001-stores-and-keys.ts')).up(database) },
  '002-dashboard': { up: async (database) => (await import('./002-dashboard.ts')).up(database) },
  '003-logged-counters': { up: async (database) => (await import('./003-logged-counters.ts')).up(database) },
  '004-external-ids': { up: async (database) => (await import('./004-external-ids.ts')).up(database) },
  '005-client-errors': { up: async (database) => (await import('./005-client-errors.ts')).up(database) },
  '006-audit': { up: async (database) => (await import('./006-audit.ts')).up(database) },
  '007-nodes': { up: async (database) => (await import('./007-nodes.ts')).up(database) },
  '008-request-log': { up: async (database) => (await import('./008-request-log.ts')).up(database) },
  '009-request-log-minute': { up: async (database) => (await import('./009-request-log-minute.ts')).up(database) },
}
