// Builds one SQL statement that writes a page: rows, embedded rows, the marks of seen rows, and the position of the
// unfinished walk (see copy.ts). One statement is atomic, and needs only one round trip to the server, which can be far
// away.

import type { CopyTable } from '../../tables.ts'
import type { CopyRow } from '../copy.ts'
import { childrenOf, lastRowsById } from '../page-rows.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { columnDeclaration } from './postgres-schema.ts'
import { rowsAsJson } from './postgres-values.ts'
import { saveWalkPart } from './postgres-walks.ts'
import { qualifiedName } from './qualified-name.ts'

/** The table of the page, and what the statement saves besides the rows. */
export interface PageStatementOptions {
  readonly schema: string
  readonly table: CopyTable
  /** Whether to mark the rows as seen. */
  readonly marks: boolean
  /** Whether to save the position of the unfinished walk. */
  readonly savesWalk: boolean
}

/**
 * Returns the statement that writes a page. Its parameters are those of `pageValues` and, with `savesWalk`, that of
 * `savedWalkValue`.
 *
 * All parts of the statement see the tables as they were before it, so the parts must change different rows. One part
 * deletes the embedded rows that a parent no longer has, and another part upserts the other embedded rows.
 */
export function pageStatement({ schema, table, marks, savesWalk }: PageStatementOptions): string {
  const parts = [inputRows('page', table, 1), `written as (${upsert(schema, table, 'page')})`]
  if (marks)
    parts.push(
      `marked as (insert into ${qualifiedName(schema, '_sync_seen')} (table_name, id)
        select '${table.name.replaceAll("'", "''")}', id from page on conflict do nothing)`,
    )
  for (const [index, child] of table.children.entries()) {
    const rows = `children_${index}`
    parts.push(
      inputRows(rows, child, index + 2),
      `removed_${index} as (delete from ${qualifiedName(schema, child.name)}
        where ${quoteIdentifier(child.parentColumn)} in (select id from page) and id not in (select id from ${rows}))`,
      `written_${index} as (${upsert(schema, child, rows)})`,
    )
  }
  if (savesWalk) parts.push(saveWalkPart(schema, table.children.length + 2))
  // The final `select` returns no columns: only the parts before it matter.
  return `with ${parts.join(', ')} select`
}

/**
 * Returns the values of the statement's parameters, as JSON: the rows, then the rows of each embedded table. If several
 * rows have one ID, uses the last.
 */
export function pageValues(table: CopyTable, rows: readonly CopyRow[]): string[] {
  const parents = lastRowsById(rows)
  return [
    rowsAsJson(table.columns, parents),
    ...table.children.map((child) => {
      return rowsAsJson(child.columns, childrenOf(parents, child))
    }),
  ]
}

type Columns = Pick<CopyTable, 'name' | 'columns'>

/**
 * Returns a CTE with the rows of a JSON parameter. It is materialized, so PostgreSQL parses the value once although
 * several parts read the rows. jsonb would only add a conversion.
 */
function inputRows(name: string, { columns }: Columns, parameter: number): string {
  return `${name} as materialized (
    select * from json_to_recordset($${parameter}::text::json) as given(${columns.map(columnDeclaration).join(', ')}))`
}

function upsert(schema: string, { name, columns }: Columns, from: string): string {
  const names = columns.map((column) => quoteIdentifier(column.name))
  return `insert into ${qualifiedName(schema, name)} (${names.join(', ')}) select ${names.join(', ')} from ${from}
    on conflict (id) do update set ${names.map((each) => `${each} = excluded.${each}`).join(', ')}`
}
