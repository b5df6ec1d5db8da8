// What `stores grants` and `stores upgrade` do: the schema of a store's database, and the role that reads it.

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

/** Options of `stores grants`. */
export interface GrantsOptions extends CommonOptions {
  readonly revision: RevisionId
  readonly role: string
  readonly schema: string
  readonly grantsOnly?: true
}

/** Options of `stores upgrade`. */
export interface UpgradeOptions extends CommonOptions {
  readonly to: RevisionId
  readonly databaseUrl?: string
}

const PASSWORD_BYTES = 24

/** Prints the SQL of the reader's role, with a password made for it; or only its grants, for an existing role. */
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
      ? `-- Run this in the store's database, as its owner. The role keeps its password.`
      : `-- Run this in the store's database, as its owner and with the right to create roles. Put the password, which was made for
-- this output, into the store's URL. A role belongs to the whole server: --grants-only prints what a second database needs.`
  print(`${advice}\n${sql}`)
}

/** Brings a store to a newer revision. */
export async function upgrade(context: CommandContext, reference: string, options: UpgradeOptions): Promise<void> {
  const store = await requireStore(context.database, reference)
  const { to, json } = options
  if (store.schemaName !== 'public') {
    throw new UserError(
      `this store's tables are in the schema ${quoteName(store.schemaName)}, and "stores provision" makes none there: the platform ` +
        'migrates its schema itself, and "store-export stores grants --schema" prints the grants',
    )
  }
  const { ownerOrAdminUrl, readerRole } = await whereToUpgrade(context, store, options)
  const { applied, repaired, adminSql } = await upgradeStore({ ownerOrAdminUrl, to, readerRole, connect: connectOnce })
  if (json) return printJson({ id: store.id, revision: to, applied, repaired, admin_sql: adminSql })
  if (repaired.length > 0) printMessage(`Added what an older version left out: ${repaired.join(', ')}.`)
  if (adminSql !== null)
    printMessage(`The reader's role has no connection limit. Run as an administrator of its server: ${adminSql}`)
  printMessage(
    applied.length === 0 ? `It was at ${to} before; grants are up to date:` : `Applied ${applied.join(', ')}:`,
  )
  print(store.id)
}

/** The URL to upgrade with: the one given, else that of the control database's server, where `provision` makes stores. */
async function whereToUpgrade(
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
    throw new UserError('this store has no database yet: give the URL of its owner with --database-url')
  }
  if (!isDeepStrictEqual(registered.hosts, parseConnectionUrl(controlUrl).hosts)) {
    throw new UserError(
      "this store's database is on another server than the control database: give the URL of its owner with --database-url",
    )
  }
  return { ownerOrAdminUrl: urlForDatabase(controlUrl, registered.database), readerRole }
}
