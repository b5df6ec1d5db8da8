// Implements the commands for stores with a database that exists: `stores grants` prints the SQL for the reader's role,
// and `stores upgrade` adds what a newer schema version has.

import { randomBytes } from 'node:crypto'
import type { RevisionId } from '@store-export/contract'
import { checkSchemaName, requireStore } from '@store-export/control'
import type { CommandContext } from '../command-context.ts'
import { upgrade as upgradeRegistered } from '../operations/upgrade.ts'
import { print, printJson, printMessage } from '../output.ts'
import { readerConnectSql, readerGrantsSql, readerRoleSql } from '../store-schema/reader-role.ts'
import type { CommonOptions } from './add-command.ts'
import { readUrlOption } from './option-values.ts'

/** The options of `stores grants`. */
export interface GrantsOptions extends CommonOptions {
  readonly revision: RevisionId
  readonly role: string
  readonly schema: string
  readonly grantsOnly?: true
}

/** The options of `stores upgrade`. Without a URL, it connects to the server of the control database. */
export interface UpgradeOptions extends CommonOptions {
  readonly to: RevisionId
  readonly databaseUrl?: string
  readonly all?: true
}

const PASSWORD_BYTES = 24

/**
 * Prints the SQL for the reader's role with a random password or, with `grantsOnly`, the grants for an existing role.
 * Throws `InvalidStoreError` for an invalid name of a schema.
 */
export function grants({ revision, role, schema, grantsOnly, json }: GrantsOptions): void {
  const schemaName = checkSchemaName(schema)
  const password = grantsOnly === true ? null : randomBytes(PASSWORD_BYTES).toString('base64url')
  const created = password === null ? '' : readerRoleSql({ role, password, schemaName })
  const sql = `${created}${readerConnectSql({ role })}${readerGrantsSql({ role, revision, schemaName })}`
  if (json) {
    printJson({ role, password, revision, sql })
    return
  }
  const advice =
    password === null
      ? `-- Run this in the store database as its owner. The password of the role does not change.`
      : `-- Run this in the store database as its owner, with the privilege to create roles. The password is random: put it into the
-- connection URL of the store. A role exists once per server: for a second database of the server, use --grants-only.`
  print(`${advice}\n${sql}`)
}

/**
 * Upgrades a store to a newer schema version. A store that is at this version already gets only missing grants and
 * repairs. Rejects with `UnknownStore`, and with `UsageError` for an invalid URL. Also rejects like `upgrade` of
 * operations/upgrade.ts, for example if `stores provision` did not create the database.
 */
export async function upgrade(context: CommandContext, reference: string, options: UpgradeOptions): Promise<void> {
  const store = await requireStore(context.database, reference)
  const { to, json } = options
  const databaseUrl = options.databaseUrl === undefined ? null : await readUrlOption(options.databaseUrl)
  const { applied, repaired, adminSql } = await upgradeRegistered(context, store, { to, databaseUrl })
  if (json) return printJson({ id: store.id, revision: to, applied, repaired, admin_sql: adminSql })
  if (repaired.length > 0)
    printMessage(`Added what an older version of "stores provision" left out: ${repaired.join(', ')}.`)
  if (adminSql !== null)
    printMessage(`The reader's role has no connection limit. Run this as an administrator of the server: ${adminSql}`)
  printMessage(
    applied.length === 0 ? `Already at ${to}; the grants are up to date:` : `Upgraded: ${applied.join(', ')}.`,
  )
  print(store.id)
}
