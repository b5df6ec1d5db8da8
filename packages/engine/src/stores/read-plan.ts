// Reads the rows of a plan into a page in one round trip. A plan with embedded rows needs a transaction. Any other plan
// needs one statement.

import type { Cell, Connection, Request, RunOptions, Sink, Statement } from '@store-export/postgres'
import { EmbeddedRows } from '../encode/embedded-rows.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import { type EmbeddedField, embeddedFields } from '../query/embedded-fields.ts'
import type { Plan } from '../query/plan.ts'
import { anyReadsOtherTables, type PresentColumns } from '../query/present-columns.ts'
import { rewriteCheckStatement } from '../query/rewrite-check.ts'
import { statementOf } from '../query/sql.ts'
import { lacksFunctions } from './open-transactions.ts'

/**
 * Thrown if a table was rewritten during the read. PostgreSQL shows it as empty, so the page would lack rows
 * (rewrite-check.ts). The code makes the service read the columns and the page again.
 */
class TableRewritten extends Error {
  override readonly name = 'TableRewritten'
  /** `feature_not_supported`, the code for a prepared statement whose table has changed. */
  readonly code = '0A000'

  constructor() {
    super('a table was rewritten while it was read')
  }
}

/** What the statements of a plan depend on, besides the plan. */
export interface PlanOptions {
  readonly present: PresentColumns
  /** Whether to use prepared statements. */
  readonly prepares: boolean
}

/**
 * Reads the rows into the page. If the server lacks functions of the check for rewritten tables, reads again without
 * the check. The page can then lack rows of a table that was rewritten during the read. Rejects like `Connection.read`,
 * and with the error of `PlannedRead.finish`.
 */
export async function readPlan(connection: Connection, read: PlannedRead, options: RunOptions): Promise<void> {
  const { page } = read
  const { rows } = page
  try {
    await run(connection, read, options)
  } catch (error) {
    // The server lacks functions of the check, or the role may not call them. A retry is possible only before the first
    // row.
    const isRetriable = read.readsOtherTables && page.rows === rows && !(error instanceof TableRewritten)
    if (!isRetriable || !lacksFunctions(error)) throw error
    await run(connection, read.withoutCheck(), options)
  }
}

async function run(connection: Connection, read: PlannedRead, options: RunOptions): Promise<void> {
  try {
    await connection.read(read.requests, options)
    read.finish()
  } catch (error) {
    await endTransaction(connection, options)
    throw error
  } finally {
    read.release()
  }
}

/** Rolls back the transaction that a failed read left open, if any. Rejects like `Connection.script`. */
export async function endTransaction(connection: Connection, options: RunOptions): Promise<void> {
  if (!connection.isClosed && connection.transaction !== 'none') await connection.script('rollback', options)
}

/** One read of a page: its statements, and the page that receives the rows. Run it once, then call `release`. */
export class PlannedRead {
  readonly page: PageWriter
  /**
   * One statement, or a transaction:
   * 1. The embedded rows. These statements take the snapshot and lock the tables.
   * 2. The check that no table was rewritten after the snapshot and before its lock.
   * 3. The rows of the page.
   */
  readonly requests: readonly Request[]
  /**
   * Whether the check of a transaction covers tables that read other tables, such as views and partitioned tables
   * (present-columns.ts). It then needs functions that some servers lack.
   */
  readonly readsOtherTables: boolean
  readonly #plan: Plan
  readonly #options: PlanOptions
  readonly #embedded: readonly (EmbeddedRows | null)[]
  #isRewritten = false

  /** `isChecked`: whether a transaction includes the check for rewritten tables. */
  constructor(plan: Plan, page: PageWriter, options: PlanOptions, isChecked = true) {
    this.page = page
    this.#plan = plan
    this.#options = options
    const { present, prepares } = options
    const fields = embeddedFields(plan, present, prepares)
    const isPlain = fields.every(({ statement }) => statement === null)
    const tables = [plan.resource, ...fields.map(({ resource }) => resource)].map(({ table }) => table)
    this.readsOtherTables = isChecked && !isPlain && anyReadsOtherTables(present, tables)
    this.#embedded = fields.map(({ resource, statement }) =>
      statement === null ? null : new EmbeddedRows(resource, page),
    )
    const rows = request(statementOf(plan, present, { prepares }), (row) =>
      isPlain ? page.take(row) : page.take(row, this.#embedded),
    )
    this.requests = isPlain ? [rows] : this.#transaction(fields, isChecked, rows)
  }

  /** Returns the same read without the check for rewritten tables. */
  withoutCheck(): PlannedRead {
    return new PlannedRead(this.#plan, this.page, this.#options, false)
  }

  /** Throws `TableRewritten` if a table was rewritten during the read. Call it after the requests have run. */
  finish(): void {
    if (this.#isRewritten) throw new TableRewritten()
  }

  /** Releases the memory of the embedded rows. */
  release(): void {
    for (const each of this.#embedded) each?.release()
  }

  #transaction(fields: readonly EmbeddedField[], isChecked: boolean, rows: Request): Request[] {
    const { present, prepares } = this.#options
    const embedded = fields.flatMap(({ statement }, index) =>
      statement === null ? [] : [request(statement, (row) => this.#embedded[index]?.take(row))],
    )
    const tables = [
      this.#plan.resource,
      ...fields.flatMap(({ resource, statement }) => (statement === null ? [] : resource)),
    ]
    const take = ({ bytes, start, length }: Cell) => {
      // The last byte of the row is its only value, a boolean.
      this.#isRewritten = bytes[start + length - 1] === 1
    }
    const check = request(
      rewriteCheckStatement(tables, present, { readsOtherTables: this.readsOtherTables, prepares }),
      take,
    )
    const [begin, commit] = [BEGIN, COMMIT].map((text) => request({ text, values: [], prepared: prepares }, noop)) as [
      Request,
      Request,
    ]
    return [begin, ...embedded, ...(isChecked ? [check] : []), rows, commit]
  }
}

/** With this level, all statements of the transaction read one snapshot. */
const BEGIN = 'begin isolation level repeatable read, read only'
const COMMIT = 'commit'

function request(statement: Statement, row: Sink['row']): Request {
  return { statement, sink: { format: 'binary', row } }
}

const noop = (_: Cell) => undefined
