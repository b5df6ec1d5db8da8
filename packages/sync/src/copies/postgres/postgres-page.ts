// A page as one statement of PostgreSQL: rows, marks and children are written together or not at all, in one trip to the
// server, however far away it is.

import type { ChildTable, CopyTable } from '../../tables.ts'
import type { CopyRow } from '../copy.ts'
import { qualified, quoted } from './postgres-names.ts'
import { declaration } from './postgres-schema.ts'
import { jsonOfRows, lastOfEach } from './postgres-values.ts'
import { walkPart } from './postgres-walks.ts'

/** Where a page goes, whether its rows are marked as met, and whether it is kept where the walk goes on. */
export interface PageTarget {
  readonly schema: string
  readonly table: CopyTable
  readonly marks: boolean
  readonly keepsWalk: boolean
}

/**
 * The statement that writes a page of `table`; its values are those of `pageValues`, and behind them that of the walk. Its parts see the tables as they were
 * before, and touch different rows: of a parent's children those that it no longer has are removed, the others replaced.
 */
export function pageStatement({ schema, table, marks, keepsWalk }: PageTarget): string {
  const parts = [given('page', table, 1), `written as (${upsert(schema, table, 'page')})`]
  if (marks)
    parts.push(
      `marked as (insert into ${qualified(schema, '_sync_seen')} (table_name, id)
        select '${table.name.replaceAll("'", "''")}', id from page on conflict do nothing)`,
    )
  for (const [index, child] of table.children.entries()) {
    const rows = `children_${index}`
    parts.push(
      given(rows, child, index + 2),
      `removed_${index} as (delete from ${qualified(schema, child.name)}
        where ${quoted(child.parentColumn)} in (select id from page) and id not in (select id from ${rows}))`,
      `written_${index} as (${upsert(schema, child, rows)})`,
    )
  }
  if (keepsWalk) parts.push(walkPart(schema, table.children.length + 2))
  return `with ${parts.join(', ')} select`
}

/** A text for each parameter: the rows, then those of each kind of children. Of rows with the same id the last is taken. */
export function pageValues(table: CopyTable, rows: readonly CopyRow[]): string[] {
  const parents = lastOfEach(rows)
  return [
    jsonOfRows(table.columns, parents),
    ...table.children.map((child) => {
      const children = lastOfEach(parents.flatMap((row) => childrenOf(row, child)))
      return jsonOfRows(child.columns, children)
    }),
  ]
}

type Columns = Pick<CopyTable, 'name' | 'columns'>

/** json, not jsonb: it is read once, and need not be taken apart before. */
function given(name: string, { columns }: Columns, place: number): string {
  return `${name} as materialized (
    select * from json_to_recordset($${place}::text::json) as given(${columns.map(declaration).join(', ')}))`
}

function upsert(schema: string, { name, columns }: Columns, from: string): string {
  const names = columns.map((column) => quoted(column.name))
  return `insert into ${qualified(schema, name)} (${names.join(', ')}) select ${names.join(', ')} from ${from}
    on conflict (id) do update set ${names.map((each) => `${each} = excluded.${each}`).join(', ')}`
}

function childrenOf(row: CopyRow, { field }: ChildTable): CopyRow[] {
  const children = row[field]
  return Array.isArray(children) ? children : []
}
