// Implements the commands for stores with a database that exists: `stores grants` prints the SQL for the reader's role,
// and `stores upgrade` adds what a newer schema version has.

import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { RevisionId } from '@store-export/contract'
import { checkSchemaName, type RegisteredStore, requireStore } from '@store-export/control'
import { parseConnectionUrl } from '@store-export/postgres'
import { type CommandContext, connectOnce } from '../command-context.ts'
import { print, printJson, printMessage } from '../output.ts'
import { upgradeStore } from '../store-schema/provision-store.ts'
import { readerConnectSql, readerGrantsSql, readerRoleSql } from '../store-schema/reader-role.ts'
import { quoteName } from '../store-schema/sql-text.ts'
import { urlForDatabase } from '../store-schema/store-url.ts'
import { UserError } from '../user-error.ts'
import type { CommonOptions } from './add-command.ts'
import { readUrlOption } from './option-values.ts'

export interface GrantsOptions extends CommonOptions {
  readonly revision: RevisionId
  readonly role: string
  readonly schema: string
  readonly grantsOnly?: true
}

export interface UpgradeOptions extends CommonOptions {
  readonly to: RevisionId
  readonly databaseUrl?: string
}

const PASSWORD_BYTES = 24

/**
 * Prints the SQL for the reader's role with a random password or, with `grantsOnly`, the grants for an existing role.
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
 * Upgrades a store to a newer schema version. Rejects with `UserError` if its schema is not public. Without
 * `databaseUrl`, also rejects if the store has no URL or its database is on another server, and like `upgradeStore`.
 */
export async function upgrade(context: CommandContext, reference: string, options: UpgradeOptions): Promise<void> {
  const store = await requireStore(context.database, reference)
  const { to, json } = options
  if (store.schemaName !== 'public') {
    throw new UserError(
      `this store is in the schema ${quoteName(store.schemaName)}, and "stores upgrade" only changes the schema public; migrate ` +
        'the store yourself, then run "store-export stores grants --schema" for the grants',
    )
  }
  const { ownerOrAdminUrl, readerRole } = await upgradeTarget(context, store, options)
  const { applied, repaired, adminSql } = await upgradeStore({ ownerOrAdminUrl, to, readerRole, connect: connectOnce })
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

/**
 * Returns the reader's role, and the URL for the upgrade: `--database-url`, or the database on the server of the
 * control database. Rejects with `UserError` if there is neither.
 */
async function upgradeTarget(
  { controlUrl }: CommandContext,
  { databaseUrl }: RegisteredStore,
  options: UpgradeOptions,
): Promise<{ ownerOrAdminUrl: string; readerRole: string | null }> {
  const registered = databaseUrl === null ? null : parseConnectionUrl(databaseUrl)
  const readerRole = registered?.user ?? null
  if (options.databaseUrl !== undefined) {
    return { ownerOrAdminUrl: await readUrlOption(options.databaseUrl), readerRole }
  }
  if (registered === null || registered.database === null) {
    throw new UserError('this store has no database URL; add --database-url with the URL of its owner')
  }
  if (!isDeepStrictEqual(registered.hosts, parseConnectionUrl(controlUrl).hosts)) {
    throw new UserError(
      "this store's database is not on the server of the control database; add --database-url with the URL of its owner",
    )
  }
  return { ownerOrAdminUrl: urlForDatabase(controlUrl, registered.database), readerRole }
}
