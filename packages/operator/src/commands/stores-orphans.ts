// Implements `stores list --orphans` and `stores drop-orphan`. An orphan is a database with its roles of `stores
// provision` that no registered store uses. An interrupted `stores provision` leaves one by accident. `stores remove`
// and `stores set --database-url` leave one on purpose.

import { listStores } from '@store-export/control'
import { type CommandContext, onControlServer } from '../command-context.ts'
import { codeOf } from '../explain-error.ts'
import { findData } from '../operations/find-data.ts'
import { print, printJson, printMessage, printTable } from '../output.ts'
import { redactAndCut } from '../redact.ts'
import { dropOrphan, listOrphans, type Orphan } from '../store-schema/orphans.ts'
import { urlForDatabase } from '../store-schema/store-url.ts'
import { UserError } from '../user-error.ts'
import type { CommonOptions } from './add-command.ts'

/** Maximum length in an error message of the reasons why tables can't be read. */
const REASONS_LENGTH_MAX = 400

/** Prints the orphans, as a table or as one JSON object. */
export async function showOrphans(context: CommandContext, { json }: CommonOptions): Promise<void> {
  const orphans = await findOrphans(context)
  if (json) return printJson({ orphans: orphans.map(describe) })
  printTable(
    ['name', 'reason', 'database', 'roles', 'store id'],
    orphans.map(({ name, reason, hasDatabase, roles, storeId }) => [
      name,
      reason,
      hasDatabase ? 'yes' : 'no',
      String(roles.length),
      storeId ?? '-',
    ]),
  )
}

/** The options of `stores drop-orphan`. */
export interface DropOrphanOptions extends CommonOptions {
  readonly withData?: true
}

/**
 * Drops the database and the roles of an orphan. Rejects with `UserError` if no orphan has the name, if the
 * provisioning of its store is unfinished, or if sessions are connected to the database. Without `withData`, also
 * rejects if the database contains data, if the check for data fails, or if the store's URL now names another database:
 * a pooler can offer this database under another name.
 */
export async function removeOrphan(context: CommandContext, name: string, options: DropOrphanOptions): Promise<void> {
  const { withData = false, json } = options
  const orphan = (await findOrphans(context)).find((each) => each.name === name)
  if (orphan === undefined) {
    throw new UserError(
      `${JSON.stringify(name)} is not an orphan; run "store-export stores list --orphans" to list the orphans`,
    )
  }
  if (orphan.reason === 'unfinished') {
    throw new UserError(
      `an interrupted "stores provision" of the store ${orphan.storeId} created it; finish with another "stores provision" for ` +
        `its external ID, or run "store-export stores remove ${orphan.storeId}" first`,
    )
  }
  if (orphan.reason === 'replaced' && !withData) {
    throw new UserError(
      `the store ${orphan.storeId} now uses another database; check that no program uses ${name}, then add --with-data to drop it`,
    )
  }
  if (orphan.hasDatabase && !withData) await requireNoData(context, name)
  await drop(context, orphan)
  if (json) return printJson({ name, dropped: true })
  printMessage('Dropped the orphan and its roles:')
  print(name)
}

async function findOrphans({ database, controlUrl }: CommandContext): Promise<Orphan[]> {
  const stores = await listStores(database, { includeRemoved: true })
  return onControlServer(controlUrl, (admin) => listOrphans(admin, stores))
}

/** Rejects with `UserError` if the database contains data, or if a table can't be checked. */
async function requireNoData({ controlUrl }: CommandContext, name: string): Promise<void> {
  const { found, unreadable } = await findData(urlForDatabase(controlUrl, name))
  if (found !== null) {
    throw new UserError(`the database ${name} contains ${found}; add --with-data to drop it with its data`)
  }
  if (unreadable.length === 0) return
  const reasons = [...new Set(unreadable.map(({ reason }) => reason))].join('; ')
  throw new UserError(
    `can't check whether the database ${name} contains orders, products, or customers (${redactAndCut(reasons, REASONS_LENGTH_MAX)}); ` +
      'check it yourself, or add --with-data to drop it anyway',
  )
}

async function drop({ controlUrl }: CommandContext, orphan: Orphan): Promise<void> {
  try {
    await onControlServer(controlUrl, (admin) => dropOrphan(admin, orphan))
  } catch (error) {
    // 55006 is `object_in_use`.
    if (codeOf(error) !== '55006') throw error
    throw new UserError(`sessions are connected to ${orphan.name}: end them, then run the command again`)
  }
}

function describe({ name, hasDatabase, roles, storeId, reason }: Orphan) {
  return { name, has_database: hasDatabase, roles, store_id: storeId, reason }
}
