// Implements `stores provision`, which creates the database of a store. operations/provision.ts does the work, and this
// file prints the result.

import type { RevisionId } from '@store-export/contract'
import { storeJson } from '@store-export/control'
import type { CommandContext } from '../command-context.ts'
import { provision as createDatabase, type ProvisionResult } from '../operations/provision.ts'
import { print, printable, printJson, printMessage } from '../output.ts'
import type { CommonOptions } from './add-command.ts'

/** The options of `stores provision`. */
export interface ProvisionOptions extends CommonOptions {
  readonly name: string
  readonly revision: RevisionId
  readonly externalId?: string
}

/**
 * Creates the database of a store, or finds the store with this external ID. Prints the ID of the store (JSON with
 * `--json`) on standard output, and everything else on standard error. Rejects like `provision` of
 * operations/provision.ts, for example if the store with the external ID is imported.
 */
export async function provision(context: CommandContext, options: ProvisionOptions): Promise<void> {
  const { name, revision, externalId = null, json } = options
  const result = await createDatabase(context, { name, revision, externalId })
  if (json) {
    const { store, created, databaseUrl, readerUrl } = result
    const database = { created, revision: result.revision, database_url: databaseUrl, reader_url: readerUrl }
    return printJson({ ...storeJson(store), ...database })
  }
  if (result.created) showCreated(result)
  else showExisting(result)
  print(result.store.id)
}

function showCreated({ store, revision, databaseUrl, readerUrl }: ProvisionResult): void {
  printMessage(`Created an empty database at ${revision} and registered "${printable(store.name)}".`)
  printMessage(`URL for the platform (writes): ${databaseUrl}`)
  printMessage(`URL for the service (reads):   ${readerUrl}`)
}

/** Leaves out an unknown revision; `ProvisionResult` says when it is unknown. */
function showExisting({ store, revision }: ProvisionResult): void {
  printMessage(
    `The database of "${printable(store.name)}" exists${revision === null ? '' : ` at ${revision}`}; nothing changed.`,
  )
  printMessage("If you lost the owner's password, set a new one as an administrator: alter role ... password")
}
