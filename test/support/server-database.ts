// Manages the empty database on the server under test (`npm run test:server`), and the role that reads it.

import { randomBytes } from 'node:crypto'
import { type Connection, executeOn, identifier, queryRows, sql } from '@store-export/postgres'
import { readerRoleSql } from '../../packages/operator/src/store-schema/reader-role.ts'
import { urlForLogin } from '../../packages/operator/src/store-schema/store-url.ts'
import { connectOnce } from './client.ts'

/** A table, view, or routine of the schema public, with its name as `drop` needs it. */
interface PublicObject {
  readonly kind: 'table' | 'view' | 'routine'
  readonly name: string
}

/** Returns the tables, views, and routines of the schema public, except those of extensions. Views come first. */
export function publicObjects(connection: Connection): Promise<PublicObject[]> {
  return queryRows<PublicObject>(
    connection,
    sql`select case when c.relkind = 'v' then 'view' else 'table' end as kind, quote_ident(c.relname::text) as name
      from pg_catalog.pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
        and not exists (select from pg_catalog.pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      union all
      select 'routine', p.oid::regprocedure::text
      from pg_catalog.pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_catalog.pg_depend d
          where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      order by 1 desc, 2`,
  )
}

/** Drops the tables, views, and routines of the schema public, and the role `reader` if it is not null. */
export async function emptyDatabase(connection: Connection, reader: string | null): Promise<void> {
  for (const { kind, name } of await publicObjects(connection))
    await connection.script(`drop ${kind} if exists ${name} cascade`)
  if (reader === null) return
  const found = await queryRows(connection, sql`select from pg_catalog.pg_roles where rolname = ${reader}`)
  if (found.length === 0) return
  await executeOn(connection, sql`revoke all on schema public from ${identifier(reader)}`)
  await executeOn(connection, sql`drop role ${identifier(reader)}`)
}

/** Creates the role that reads the store, without privileges on tables. Returns its URL. */
export async function createReader(connection: Connection, url: string, role: string): Promise<string> {
  const password = randomBytes(18).toString('hex')
  await connection.script(readerRoleSql({ role, password }))
  const [row] = await queryRows<{ name: string }>(connection, sql`select current_database()::text as name`)
  return urlForLogin(url, { user: role, password, database: row?.name ?? '' })
}

/**
 * Creates the reader once, to test whether the owner may. Returns the error message; null on success. Drops all tables,
 * views, and routines of the schema public afterwards.
 */
export async function readerRefusal(connection: Connection, url: string, role: string): Promise<string | null> {
  try {
    await (await connectOnce(await createReader(connection, url, role))).close()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await emptyDatabase(connection, role)
  }
}
