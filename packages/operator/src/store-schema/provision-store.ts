// Creates a store database with its owner and reader roles, and upgrades an existing one.

import type { RevisionId } from '@store-export/contract'
import { type Connection, executeOn, sql } from '@store-export/postgres'
import { migrateStore } from './migrate-store.ts'
import { asOwner, type OpenConnection, type OwnerSession } from './owner-session.ts'
import { readerGrantsSql, readerRoleResetSql, readerRoleSql } from './reader-role.ts'
import { requireUpgradable } from './recorded-revision.ts'
import { type RepairResult, repairReaderLimit, repairTriggers } from './repair-store.ts'
import { scramVerifier } from './scram-verifier.ts'
import { quoteName, quoteText } from './sql-text.ts'
import { type Login, urlForDatabase, urlForLogin } from './store-url.ts'

/** Number of random bytes of a password. The password is their base64url. */
const PASSWORD_BYTES = 32
const SALT_BYTES = 16

/** The store to create, and the role that creates it. */
export interface ProvisionStoreOptions {
  /** URL of a role that can create databases and roles. */
  readonly adminUrl: string
  readonly storeId: string
  readonly name: string
  readonly revision: RevisionId
  /** Returns cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array
  readonly connect: OpenConnection
}

/** The URLs of a provisioned store. The platform writes with `databaseUrl`. The service reads with `readerUrl`. */
export interface ProvisionedStore {
  readonly databaseUrl: string
  readonly readerUrl: string
}

/** The store database to upgrade, and the schema version to reach. */
export interface UpgradeStoreOptions {
  /** URL of the store database, for its owner or for a role that can become the owner. */
  readonly ownerOrAdminUrl: string
  readonly to: RevisionId
  /** Role that gets the new grants; null if the platform grants them itself. */
  readonly readerRole: string | null
  readonly connect: OpenConnection
  /** If it is aborted, the running migration is rolled back, as in `asOwner`. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates a database at `revision` with its `store` row, and returns its URLs. Rejects with the server's error if roles
 * or a database of this store exist. After any error, drops what it created.
 */
export async function provisionStore(options: ProvisionStoreOptions): Promise<ProvisionedStore> {
  const { owner, reader } = loginsOf(options)
  const admin = await options.connect(options.adminUrl)
  const undo: string[] = []
  try {
    await createRolesAndDatabase(admin, options, { owner, reader, undo })
    await initializeDatabase(options, owner, reader)
    return { databaseUrl: urlForLogin(options.adminUrl, owner), readerUrl: urlForLogin(options.adminUrl, reader) }
  } catch (error) {
    // Drops only what this call created, because a store with the same ID can have existed before.
    for (const statement of undo.reverse()) await admin.script(statement).catch(() => undefined)
    throw error
  } finally {
    await admin.close()
  }
}

/** What an upgrade has applied and repaired. */
export interface UpgradeResult extends RepairResult {
  /** Applied schema versions, oldest first. */
  readonly applied: RevisionId[]
}

/**
 * Upgrades a store to a schema version with the reader's grants, if there is a reader. Also adds what older versions of
 * `stores provision` left out. Rejects with `UserError` for a store that `stores provision` did not create, and for a
 * store at a newer version than `to`.
 */
export async function upgradeStore({
  ownerOrAdminUrl,
  to,
  readerRole,
  connect,
  signal,
}: UpgradeStoreOptions): Promise<UpgradeResult> {
  const upgradeAs = async (session: OwnerSession): Promise<UpgradeResult> => {
    const { owner } = session
    await requireUpgradable(owner, to)
    const triggers = await repairTriggers(owner)
    const applied = await migrateStore(owner, to, readerRole)
    if (readerRole === null) return { applied, repaired: triggers, adminSql: null }
    const { repaired, adminSql } = await refreshReader(session, readerRole, to)
    return { applied, repaired: [...triggers, ...repaired], adminSql }
  }
  return asOwner(ownerOrAdminUrl, connect, upgradeAs, signal)
}

/** Grants the columns of the schema version to the reader, and repairs the settings of its role. */
async function refreshReader(
  { owner, admin }: OwnerSession,
  role: string,
  revision: RevisionId,
): Promise<RepairResult> {
  await owner.script(readerGrantsSql({ role, revision }))
  // The owner has no privilege to change roles, but the role in the URL can have it.
  await admin.script(readerRoleResetSql({ role }))
  return repairReaderLimit(admin, role)
}

/** Returns the name of the database that `stores provision` creates for a store. */
export function storeDatabase(storeId: string): string {
  return `store_export_store_${shortId(storeId)}`
}

function shortId(storeId: string): string {
  return storeId.replaceAll('-', '').slice(-12).toLowerCase()
}

/**
 * Returns the logins of both roles. Roles exist once per server, so their names contain twelve digits of the store ID.
 */
function loginsOf({ storeId, random }: ProvisionStoreOptions): { owner: Login; reader: Login } {
  const short = shortId(storeId)
  const database = storeDatabase(storeId)
  const password = () => Buffer.from(random(PASSWORD_BYTES)).toString('base64url')
  return {
    owner: { user: `store_export_owner_${short}`, password: password(), database },
    reader: { user: `store_export_reader_${short}`, password: password(), database },
  }
}

/** Creates both roles and the database. After each of them, adds the statement that drops it to `undo`. */
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
  // Only a superuser can create a database for a role without being its member.
  await admin.script(`grant ${ownerName} to current_user`)
  // The template template1 can have another encoding, and objects of the platform.
  await admin.script(`create database ${database} owner ${ownerName} template template0 encoding 'UTF8'`)
  undo.push(`drop database ${database} with (force)`)
  await admin.script(`revoke all on database ${database} from public`)
  await admin.script(`grant connect on database ${database} to ${readerName}`)
}

async function initializeDatabase(
  { adminUrl, storeId, name, revision, connect }: ProvisionStoreOptions,
  owner: Login,
  reader: Login,
): Promise<void> {
  const connection = await connect(urlForDatabase(adminUrl, owner.database))
  try {
    await connection.script(
      `revoke all on schema public from public; grant all on schema public to ${quoteName(owner.user)}${grantOption(connection)}`,
    )
    await connection.script(`set role ${quoteName(owner.user)}`)
    await migrateStore(connection, revision)
    await executeOn(connection, sql`insert into public.store (id, name) values (${storeId}, ${name})`)
    await connection.script(readerGrantsSql({ role: reader.user, revision }))
  } finally {
    await connection.close()
  }
}

/**
 * Returns the grant option for the store's owner. Before PostgreSQL 15, a superuser owns the schema public, so the
 * store's owner needs this option to grant its use to the reader. From PostgreSQL 15, the database's owner owns the
 * schema. Grants by this option would then survive a superuser's `drop owned`.
 */
function grantOption({ parameters }: Connection): string {
  return Number.parseInt(parameters.get('server_version') ?? '', 10) < 15 ? ' with grant option' : ''
}
