// One table of samples in a real database, read as the service reads a store, by a role whose session settings are as
// hostile as a platform's can be. For tests of literals and encoders.

import { randomBytes } from 'node:crypto'
import type { Resource } from '@store-export/contract'
import { type Connection, connect, parseConnectionUrl, readRows } from '@store-export/postgres'
import postgres from 'postgres'
import { createDatabase } from '../../../../test/support/databases.ts'
import { PageWriter } from '../../src/encode/page-writer.ts'
import { statementOf } from '../../src/query/sql.ts'
import { StoreColumns } from '../../src/stores/store-columns.ts'

/** Settings of a session that change how values are read and written as text. */
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

/** A page as it was served. */
export interface ServedPage {
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into rows as a client without types does
  readonly rows: any[]
  readonly hasMore: boolean
  readonly contractViolations: Readonly<Record<string, number>>
}

/** A database of samples. */
export interface Samples {
  /** The superuser's connection, with the settings as they come. */
  readonly sql: postgres.Sql
  /** The hostile role's connection. */
  readonly reader: Connection
  /** The first `limit` rows of the resource, as the service writes them. */
  serve(resource: Resource, limit?: number, bytesMax?: number): Promise<ServedPage>
  drop(): Promise<void>
}

/** Makes an empty database and a role that may read all of it. */
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
  // the client asks for ISO dates; a pooler can lose that
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
    { storeId: 'samples', databaseUrl: '', schemaName: 'public', sealedPassword: null },
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

/** The id of the sample at `index`, so that samples come in their order. */
export function sampleId(index: number): string {
  return `00000000-0000-0000-0000-${index.toString(16).padStart(12, '0')}`
}
