// An empty list is more often a revoked permission, or a table in replacement, than a store that deleted everything. So
// a run does not empty a table without `--allow-empty`.

import { type Copy, CopyProblem } from '../copies/copy.ts'

/** The store returns no rows of a table, and the copy has some. */
export class TableEmptied extends Error {
  override readonly name = 'TableEmptied'
  readonly table: string
  /** Rows that the copy keeps. */
  readonly rows: number

  constructor(table: string, rows: number) {
    super(`the store returns no rows of ${table}, and the copy has ${rows}`)
    this.table = table
    this.rows = rows
  }
}

/** Thrown at the end of a run that kept rows of tables that the store returns empty. */
export class CopyKept extends CopyProblem {
  constructor(copy: string, kept: readonly TableEmptied[]) {
    const tables = kept.map(({ table, rows }) => `${table} (${rows})`).join(', ')
    super(
      `the store returns no rows of these tables, and the run kept the rows that ${copy} has: ${tables}. ` +
        'Check that the service can read these tables. If the store deleted all of their rows, run again with --allow-empty',
    )
  }
}

/** Throws `TableEmptied` if the copy has rows of the table, and may not lose all of them. */
export async function refuseEmptying(
  { copy, allowsEmpty }: { readonly copy: Copy; readonly allowsEmpty?: boolean },
  table: string,
): Promise<void> {
  if (allowsEmpty === true) return
  const rows = await copy.count(table)
  if (rows > 0) throw new TableEmptied(table, rows)
}
