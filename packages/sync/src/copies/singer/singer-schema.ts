// Describes the tables of a copy to a Singer target, in a SCHEMA message for each stream. The target creates its
// columns from them.

import type { CopyColumn, CopyTable } from '../../tables.ts'

/** A message of the Singer specification. The output has one line of JSON for each. */
export type SingerMessage =
  | { readonly type: 'SCHEMA'; readonly stream: string; readonly schema: object; readonly key_properties: string[] }
  | { readonly type: 'RECORD'; readonly stream: string; readonly record: object; readonly time_extracted: string }
  | { readonly type: 'STATE'; readonly value: object }

/**
 * Column of every stream: the time at which the row was last read. Each page has a time at least 1 ms after the page
 * before, even if the clock was set back.
 */
export const SYNCED_AT = 'synced_at'
/** Stream with the IDs of listed rows, and when they were listed. */
export const IDS_STREAM = 'listed_ids'
/** Stream with a row for each table: the start of its last complete listing of rows or IDs. */
export const TABLES_STREAM = 'listed_tables'

const TIMESTAMP = { type: ['string', 'null'], format: 'date-time' }
const TEXT = { type: ['string', 'null'] }
/** Maximum digits of a decimal in total: 38, the limit of DuckDB. PostgreSQL allows more. */
const PRECISION = 38
const MONEY_SCALE = 2
/**
 * Maximum digits of a coordinate after the point. It leaves 20 of the `PRECISION` digits before the point. A record has
 * all digits that the service sent, but a target can round digits beyond this scale.
 */
const COORDINATE_SCALE = 18

/** Returns the SCHEMA messages of a table and its embedded tables. */
export function tableSchemas({ name, columns, children }: CopyTable): SingerMessage[] {
  return [schemaMessage(name, columns), ...children.map((child) => schemaMessage(child.name, child.columns))]
}

/** Returns the SCHEMA messages of the streams that show which rows exist. */
export function listingSchemas(): SingerMessage[] {
  const ids = { table_name: { type: 'string' }, id: { type: 'string' }, [SYNCED_AT]: TIMESTAMP }
  const tables = { table_name: { type: 'string' }, listed_at: TIMESTAMP, [SYNCED_AT]: TIMESTAMP }
  return [
    { type: 'SCHEMA', stream: IDS_STREAM, schema: objectSchema(ids), key_properties: ['table_name', 'id'] },
    { type: 'SCHEMA', stream: TABLES_STREAM, schema: objectSchema(tables), key_properties: ['table_name'] },
  ]
}

function schemaMessage(stream: string, columns: readonly CopyColumn[]): SingerMessage {
  const properties = Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)]))
  const schema = objectSchema({ ...properties, [SYNCED_AT]: TIMESTAMP })
  return { type: 'SCHEMA', stream, schema, key_properties: ['id'] }
}

function objectSchema(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties }
}

function columnSchema({ name, kind, isMoney }: CopyColumn): object {
  switch (kind) {
    case 'uuid':
    case 'text':
      return name === 'id' ? { type: 'string' } : TEXT
    case 'integer':
      return { type: ['integer', 'null'] }
    case 'boolean':
      return { type: ['boolean', 'null'] }
    case 'decimal':
      // Most targets would pass a number through a float, so decimals are strings. A target that doesn't know the
      // format `x-singer.decimal` stores text.
      return {
        ...TEXT,
        format: 'x-singer.decimal',
        precision: PRECISION,
        scale: isMoney ? MONEY_SCALE : COORDINATE_SCALE,
      }
    case 'timestamp':
      return TIMESTAMP
    case 'json':
      return { type: ['object', 'array', 'null'] }
  }
}
