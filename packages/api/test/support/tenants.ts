// Creates stores that share a database, as on platforms with a schema for each tenant.

import { randomBytes, randomUUID } from 'node:crypto'
import type { RevisionId } from '@store-export/contract'
import { addStore } from '@store-export/control'
import { inject } from 'vitest'
import { openClient, withConnection } from '../../../../test/support/client.ts'
import { createDatabase } from '../../../../test/support/databases.ts'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { DEMO_STORES } from '../../../operator/src/demo/demo-stores.ts'
import { generateStore, type StoreSize } from '../../../operator/src/demo/generate-store.ts'
import { loadStore } from '../../../operator/src/demo/load-store.ts'
import { migrateStore } from '../../../operator/src/store-schema/migrate-store.ts'
import { readerConnectSql, readerGrantsSql, readerRoleSql } from '../../../operator/src/store-schema/reader-role.ts'
import { quoteName } from '../../../operator/src/store-schema/sql-text.ts'
import { urlForLogin } from '../../../operator/src/store-schema/store-url.ts'
import { asSuperuser } from './rows.ts'

/** A store to create. `schema` is also its name. */
export interface NewTenant {
  readonly schema: string
  readonly revision: RevisionId
  readonly size: StoreSize
}

/** A store in a schema. Its `sql` is one session that finds the tables of the schema. */
export interface Tenant extends TestStore {
  readonly schema: string
}

export interface Tenants {
  readonly tenants: readonly Tenant[]
  /** Drops the database and the roles. Call it after the platform is closed. */
  drop(): Promise<void>
}

/** Creates a database with the tenants and a role for each, and registers the stores. */
export async function createTenants(platform: TestPlatform, wanted: readonly NewTenant[]): Promise<Tenants> {
  const database = await createDatabase()
  const tenants: Tenant[] = []
  for (const each of wanted) tenants.push(await createTenant(platform, database.url, each))
  return {
    tenants,
    async drop() {
      for (const { sql } of tenants) await sql.end()
      await database.drop()
      for (const { readerUrl } of tenants) await asSuperuser(`drop role ${quoteName(new URL(readerUrl).username)}`)
    },
  }
}

/** Creates a store in a schema. `migrateStore` creates the tables in `public`, so this schema is renamed afterwards. */
async function createTenant(platform: TestPlatform, url: string, { schema, revision, size }: NewTenant) {
  const id = randomUUID()
  const login = { user: `tenant_${randomBytes(6).toString('hex')}`, password: 'tenant', database: nameOf(url) }
  const role = { role: login.user, password: login.password, revision }
  const rows = generateStore({ seed: schema, storeId: id, name: schema, revision, shop: DEMO_STORES[0].shop, size })
  await withConnection(url, async (connection) => {
    await migrateStore(connection, revision)
    await loadStore(connection, revision, rows)
    await connection.script(readerRoleSql(role) + readerConnectSql(role) + readerGrantsSql(role))
    await connection.script(`revoke all on schema public from public;
      alter schema public rename to ${quoteName(schema)}; create schema public`)
  })
  const readerUrl = urlForLogin(inject('postgresUrl'), login)
  const context = {
    database: platform.service.control,
    keys: { current: platform.encryptionKey, previous: null },
    random: randomBytes,
  }
  const origin = { origin: 'generated', state: 'ready' } as const
  await addStore(context, { id, name: schema.trim(), ...origin, databaseUrl: readerUrl, schemaName: schema })
  const { id: keyId, key } = await platform.newKey(id)
  const sql = openClient(url)
  await sql.unsafe(`set search_path to ${quoteName(schema)}`)
  return { id, key, keyId, schema, readerUrl, ownerUrl: url, adminUrl: url, sql }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}
