// Protects the rows of a table that the store returns empty. The store may have deleted all rows, but a revoked
// permission, or a program that is replacing the table, looks the same. So a run empties a table only with
// `--allow-empty`.

import { type Copy, CopyError } from '../copies/copy.ts'

/** Thrown if the store returns no rows of a table, but the copy has rows. */
export class EmptyTableError extends Error {
  override readonly name = 'EmptyTableError'
  readonly table: string
  readonly rows: number

  constructor(table: string, rows: number) {
    super(`the store returns no rows of ${table}, and the copy has ${rows}`)
    this.table = table
    this.rows = rows
  }
}

/** Thrown at the end of a run if the copy retained the rows of tables that the store returned empty. */
export class EmptyTablesError extends CopyError {
  constructor(copy: string, errors: readonly EmptyTableError[]) {
    const tables = errors.map(({ table, rows }) => `${table} (${rows})`).join(', ')
    super(
      `the store returns no rows of some tables, so the run retained the rows that ${copy} has: ${tables}. ` +
        'Check that the service can read these tables. If the store deleted all of their rows, run again with --allow-empty',
    )
  }
}

/**
 * Throws `EmptyTableError` if the copy has rows of the table, unless `allowsEmpty` is true. Call it before the end of a
 * full walk, or of a list of IDs, that returned no rows.
 */
export async function refuseToEmpty(
  { copy, allowsEmpty }: { readonly copy: Copy; readonly allowsEmpty?: boolean },
  table: string,
): Promise<void> {
  if (allowsEmpty === true) return
  const rows = await copy.count(table)
  if (rows > 0) throw new EmptyTableError(table, rows)
}
