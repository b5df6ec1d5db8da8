// Reads the rows of a plan into a page, in one round trip: one statement, or, with embedded rows, a transaction.

import type { Cell, Connection, Request, RunOptions, Sink, Statement } from '@store-export/postgres'
import { ChildRows } from '../encode/child-rows.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import { hasLayers, type PresentColumns } from '../query/columns-present.ts'
import { type EmbeddedField, embeddedFields, rewrittenStatement } from '../query/embedded.ts'
import type { Plan } from '../query/plan.ts'
import { statementOf } from '../query/sql.ts'
import { lacksFunctions } from './open-transactions.ts'

/** Thrown when a table was rewritten while the page was read. Its code makes the service read the columns and the page again. */
class TableRewritten extends Error {
  override readonly name = 'TableRewritten'
  /** `feature_not_supported`, as for a prepared statement whose table has changed. */
  readonly code = '0A000'

  constructor() {
    super('a table was rewritten while it was read')
  }
}

/** How a plan is read. */
export interface PlanOptions {
  readonly present: PresentColumns
  /** Whether the connection keeps statements prepared. */
  readonly prepares: boolean
}

/** Hands the rows of the plan to the page. Rejects as `Connection.read` does, and with the first error of the page. */
export async function readPlan(connection: Connection, read: PlannedRead, options: RunOptions): Promise<void> {
  const { page } = read
  const { rows } = page
  try {
    await run(connection, read, options)
  } catch (error) {
    // A server that is not quite PostgreSQL, or a role without the right: nothing of the page was read yet.
    if (!read.isLayered || page.rows > rows || !lacksFunctions(error)) throw error
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

/** Ends the transaction of a read that failed. */
export async function endTransaction(connection: Connection, options: RunOptions): Promise<void> {
  if (!connection.isClosed && connection.transaction !== 'none') await connection.script('rollback', options)
}

/** The statements of one page, sent as one group: one statement, or, with embedded rows, a transaction. */
export class PlannedRead {
  readonly page: PageWriter
  /** The first query locks all tables. The check follows it. The rows of the page come last. */
  readonly requests: readonly Request[]
  /** Whether the check also needs functions that some servers lack. */
  readonly isLayered: boolean
  readonly #plan: Plan
  readonly #options: PlanOptions
  readonly #children: readonly (ChildRows | null)[]
  #isRewritten = false

  constructor(plan: Plan, page: PageWriter, options: PlanOptions, isChecked = true) {
    this.page = page
    this.#plan = plan
    this.#options = options
    const { present, prepares } = options
    const fields = embeddedFields(plan, present, prepares)
    const isPlain = fields.every(({ statement }) => statement === null)
    const tables = [plan.resource, ...fields.map(({ resource }) => resource)].map(({ table }) => table)
    this.isLayered = isChecked && !isPlain && hasLayers(present, tables)
    this.#children = fields.map(({ resource, statement }) =>
      statement === null ? null : new ChildRows(resource, page),
    )
    const rows = request(statementOf(plan, present, { prepares }), (row) =>
      isPlain ? page.take(row) : page.take(row, this.#children),
    )
    this.requests = isPlain ? [rows] : this.#transaction(fields, isChecked, rows)
  }

  /** The same read on a server that cannot tell whether a table was rewritten. */
  withoutCheck(): PlannedRead {
    return new PlannedRead(this.#plan, this.page, this.#options, false)
  }

  /** Throws if a table was rewritten between the statements. */
  finish(): void {
    if (this.#isRewritten) throw new TableRewritten()
  }

  /** Releases the memory of embedded rows. */
  release(): void {
    for (const each of this.#children) each?.release()
  }

  #transaction(fields: readonly EmbeddedField[], isChecked: boolean, rows: Request): Request[] {
    const { present, prepares } = this.#options
    const embedded = fields.flatMap(({ statement }, index) =>
      statement === null ? [] : [request(statement, (row) => this.#children[index]?.take(row))],
    )
    const tables = [
      this.#plan.resource,
      ...fields.flatMap(({ resource, statement }) => (statement === null ? [] : resource)),
    ]
    const take = ({ bytes, start, length }: Cell) => {
      this.#isRewritten = bytes[start + length - 1] === 1
    }
    const check = request(rewrittenStatement(tables, present, { isLayered: this.isLayered, prepares }), take)
    const [begin, commit] = [BEGIN, COMMIT].map((text) => request({ text, values: [], prepared: prepares }, noop)) as [
      Request,
      Request,
    ]
    return [begin, ...embedded, ...(isChecked ? [check] : []), rows, commit]
  }
}

const BEGIN = 'begin isolation level repeatable read, read only'
const COMMIT = 'commit'

function request(statement: Statement, row: Sink['row']): Request {
  return { statement, sink: { format: 'binary', row } }
}

const noop = (_: Cell) => undefined
