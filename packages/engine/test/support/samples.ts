// Creates a database with a role that has hostile session settings, and reads it like the service reads a store.

import { randomBytes } from 'node:crypto'
import type { Resource } from '@store-export/contract'
import { type Connection, connect, parseConnectionUrl, readRows } from '@store-export/postgres'
import postgres from 'postgres'
import { createDatabase } from '../../../../test/support/databases.ts'
import { PageWriter } from '../../src/encode/page-writer.ts'
import { statementOf } from '../../src/query/sql.ts'
import { StoreColumns } from '../../src/stores/store-columns.ts'

/** Settings that change how PostgreSQL reads and writes values as text. */
export const HOSTILE_SETTINGS = {
  datestyle: 'German, DMY',
  timezone: 'Asia/Kolkata',
  intervalstyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  escape_string_warning: 'off',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  client_encoding: 'LATIN1',
  search_path: 'pg_temp',
  lc_numeric: 'C',
} as const

/** A page in the form in which the service sends it. */
export interface ServedPage {
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read rows like a client without types
  readonly rows: any[]
  readonly hasMore: boolean
  readonly contractViolations: Readonly<Record<string, number>>
}

export interface Samples {
  /** The superuser's connection, with default settings. */
  readonly sql: postgres.Sql
  /** The connection of the role with hostile settings. */
  readonly reader: Connection
  /** Reads the first `limit` rows of the resource. */
  serve(resource: Resource, limit?: number, bytesMax?: number): Promise<ServedPage>
  drop(): Promise<void>
}

/** Creates an empty database, and a role with hostile settings that may read all of it. */
export async function createSamples(): Promise<Samples> {
  const database = await createDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  const role = `hostile_${randomBytes(6).toString('hex')}`
  await sql.unsafe(`create role ${role} login password 'hostile'`)
  await sql.unsafe(`alter default privileges grant select on tables to ${role}`)
  for (const [name, value] of Object.entries(HOSTILE_SETTINGS))
    await sql.unsafe(`alter role ${role} set ${name} = ${name === 'datestyle' ? value : `'${value}'`}`)
  const url = new URL(database.url)
  url.username = role
  url.password = 'hostile'
  const target = parseConnectionUrl(url.href)
  // The PostgreSQL client sets DateStyle to ISO. A pooler can lose this setting.
  const startup = { ...target.startup, DateStyle: HOSTILE_SETTINGS.datestyle }
  const reader = await connect({ ...target, startup }, { applicationName: 'test' })
  return {
    sql,
    reader,
    serve: (resource, limit = 10_000, bytesMax = Number.MAX_SAFE_INTEGER) =>
      serve(reader, resource, { rowsMax: limit, bytesMax }),
    async drop() {
      await reader.close()
      await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
      await sql.end()
      await database.drop()
    },
  }
}

async function serve(
  reader: Connection,
  resource: Resource,
  bounds: { readonly rowsMax: number; readonly bytesMax: number },
): Promise<ServedPage> {
  const columns = new StoreColumns({
    refreshSeconds: 0,
    emit: () => undefined,
    now: () => 0,
    resources: [resource],
  })
  const present = await columns.of(
    { storeId: 'samples', databaseUrl: '', schemaName: 'public', encryptedPassword: null },
    reader,
  )
  const page = new PageWriter(resource, bounds, '[')
  const plan = { kind: 'page', resource, limit: bounds.rowsMax, after: null, filters: [] } as const
  await readRows(reader, statementOf(plan, present, { prepares: true }), (row) => page.take(row))
  page.out.putAscii(']')
  const text = page.out.result().toString()
  return {
    text,
    rows: JSON.parse(text),
    hasMore: page.hasMore,
    contractViolations: Object.fromEntries(page.out.contractViolations),
  }
}

/** Returns the ID of a sample. The IDs sort like `index`. */
export function sampleId(index: number): string {
  return `00000000-0000-0000-0000-${index.toString(16).padStart(12, '0')}`
}
