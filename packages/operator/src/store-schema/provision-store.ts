// Makes a store database with its owner and its reader on a server, and brings an existing one to a newer revision.

import type { RevisionId } from '@store-export/contract'
import { type Connection, executeOn, queryRows, sql } from '@store-export/postgres'
import { migrateStore } from './migrate-store.ts'
import { readerGrantsSql, readerRoleResetSql, readerRoleSql } from './reader-role.ts'
import { requireUpgradable } from './recorded-revision.ts'
import { type RepairResult, repairReaderLimit, repairTriggers } from './repair-store.ts'
import { scramVerifier } from './scram-verifier.ts'
import { quoteName, quoteText } from './sql-text.ts'
import { type Login, urlForDatabase, urlForLogin } from './store-url.ts'

/** Bytes of a role's password; written as base64url. */
const PASSWORD_BYTES = 32
const SALT_BYTES = 16

/** The caller closes the connection. */
export type OpenConnection = (url: string) => Promise<Connection>

/** What a new store database is made of. */
export interface ProvisionStoreOptions {
  /** URL of a role on the server that may create databases and roles. */
  readonly adminUrl: string
  readonly storeId: string
  readonly name: string
  readonly revision: RevisionId
  /** Gives that many unpredictable bytes. */
  readonly random: (bytes: number) => Uint8Array
  readonly connect: OpenConnection
}

/** Where a provisioned store is: the platform writes with the first URL, the service reads with the second. */
export interface ProvisionedStore {
  readonly databaseUrl: string
  readonly readerUrl: string
}

/** Which store to upgrade, and how far. */
export interface UpgradeStoreOptions {
  /** URL of the store database, as its owner or as one who may become the owner. */
  readonly ownerOrAdminUrl: string
  readonly to: RevisionId
  /** Role whose grants are extended; null where the platform grants by itself. */
  readonly readerRole: string | null
  readonly connect: OpenConnection
}

/**
 * The URLs, passwords included, of a new database at `revision` that holds the one `store` row. On failure the database and
 * the roles are dropped again.
 */
export async function provisionStore(options: ProvisionStoreOptions): Promise<ProvisionedStore> {
  const { owner, reader } = loginsOf(options)
  const admin = await options.connect(options.adminUrl)
  const undo: string[] = []
  try {
    await createRolesAndDatabase(admin, options, { owner, reader, undo })
    await fillDatabase(options, owner, reader)
    return { databaseUrl: urlForLogin(options.adminUrl, owner), readerUrl: urlForLogin(options.adminUrl, reader) }
  } catch (error) {
    // Only what this call made: a store that was there before, under the same id, is not ours to drop.
    for (const statement of undo.reverse()) await admin.script(statement).catch(() => undefined)
    throw error
  } finally {
    await admin.close()
  }
}

/** What an upgrade changed. */
export interface UpgradeResult extends RepairResult {
  /** Revisions that were applied, oldest first. */
  readonly applied: RevisionId[]
}

/**
 * Brings a store to a revision, and adds what older versions left out; the reader's grants are those of `to` afterwards.
 * Throws a sentence for a store that has no record of our migrations, or one beyond `to`.
 */
export async function upgradeStore({
  ownerOrAdminUrl,
  to,
  readerRole,
  connect,
}: UpgradeStoreOptions): Promise<UpgradeResult> {
  const connection = await connect(ownerOrAdminUrl)
  try {
    await becomeOwner(connection)
    await requireUpgradable(connection, to)
    const triggers = await repairTriggers(connection)
    const applied = await migrateStore(connection, to, readerRole)
    if (readerRole === null) return { applied, repaired: triggers, adminSql: null }
    const { repaired, adminSql } = await refreshReader(connection, readerRole, to)
    return { applied, repaired: [...triggers, ...repaired], adminSql }
  } finally {
    await connection.close()
  }
}

async function refreshReader(connection: Connection, role: string, revision: RevisionId): Promise<RepairResult> {
  await connection.script(readerGrantsSql({ role, revision }))
  // the owner may change no role, the one who became it perhaps
  await connection.script('reset role')
  await connection.script(readerRoleResetSql({ role }))
  return repairReaderLimit(connection, role)
}

/** Name of the database that is provisioned for a store. */
export function storeDatabase(storeId: string): string {
  return `store_export_store_${shortId(storeId)}`
}

function shortId(storeId: string): string {
  return storeId.replaceAll('-', '').slice(-12).toLowerCase()
}

/** Twelve digits of the store's random id keep the names short and apart: roles belong to the whole server. */
function loginsOf({ storeId, random }: ProvisionStoreOptions): { owner: Login; reader: Login } {
  const short = shortId(storeId)
  const database = storeDatabase(storeId)
  const password = () => Buffer.from(random(PASSWORD_BYTES)).toString('base64url')
  return {
    owner: { user: `store_export_owner_${short}`, password: password(), database },
    reader: { user: `store_export_reader_${short}`, password: password(), database },
  }
}

async function createRolesAndDatabase(
  admin: Connection,
  { random }: ProvisionStoreOptions,
  { owner, reader, undo }: { owner: Login; reader: Login; undo: string[] },
): Promise<void> {
  const [ownerName, readerName, database] = [owner.user, reader.user, owner.database].map(quoteName)
  const verifier = (password: string) => scramVerifier(password, random(SALT_BYTES))
  await admin.script(`create role ${ownerName} login password ${quoteText(verifier(owner.password))}`)
  undo.push(`drop role ${ownerName}`)
  await admin.script(readerRoleSql({ role: reader.user, password: verifier(reader.password) }))
  undo.push(`drop role ${readerName}`)
  // One who is not a superuser may only give a database to a role that it is a member of.
  await admin.script(`grant ${ownerName} to current_user`)
  await admin.script(`create database ${database} owner ${ownerName} template template0 encoding 'UTF8'`)
  undo.push(`drop database ${database} with (force)`)
  await admin.script(`revoke all on database ${database} from public`)
  await admin.script(`grant connect on database ${database} to ${readerName}`)
}

async function fillDatabase(
  { adminUrl, storeId, name, revision, connect }: ProvisionStoreOptions,
  owner: Login,
  reader: Login,
): Promise<void> {
  const connection = await connect(urlForDatabase(adminUrl, owner.database))
  try {
    // before PostgreSQL 15, a superuser owns the schema, and the store's owner could not grant its use to the reader
    await connection.script(
      `revoke all on schema public from public; grant all on schema public to ${quoteName(owner.user)} with grant option`,
    )
    await connection.script(`set role ${quoteName(owner.user)}`)
    await migrateStore(connection, revision)
    await executeOn(connection, sql`insert into public.store (id, name) values (${storeId}, ${name})`)
    await connection.script(readerGrantsSql({ role: reader.user, revision }))
  } finally {
    await connection.close()
  }
}

/** New tables must belong to the database's owner, whoever runs the upgrade. */
async function becomeOwner(connection: Connection): Promise<void> {
  const [row] = await queryRows<{ owner: string }>(
    connection,
    sql`
      select pg_get_userbyid(datdba) as owner from pg_database
      where datname = current_database() and pg_get_userbyid(datdba) <> current_user`,
  )
  if (row !== undefined) await connection.script(`set role ${quoteName(row.owner)}`)
}
