// All migrations of the control database, by name in the order in which they run. A released one never changes.

import type { Migration } from 'kysely'
import { up as storesAndKeys } from './001-stores-and-keys.ts'
import { up as dashboard } from './002-dashboard.ts'

/** Migrations by name; the names sort in their order. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-stores-and-keys': { up: storesAndKeys },
  '002-dashboard': { up: dashboard },
}
