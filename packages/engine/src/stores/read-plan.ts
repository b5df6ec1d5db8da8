// Reads the rows of a plan into a page, in one round trip: one statement, or, with embedded rows, a transaction.

import type { Cell, Connection, Request, RunOptions, Sink, Statement } from '@store-export/postgres'
import { ChildRows } from '../encode/child-rows.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import { hasLayers, type PresentColumns } from '../query/columns-present.ts'
import { type EmbeddedField, embeddedFields, rewrittenStatement } from '../query/embedded.ts'
import type { Plan } from '../query/plan.ts'
import { statementOf } from '../query/sql.ts'
import { lacksFunctions } from './open-transactions.ts'

/** Thrown when a table was rewritten while the page was read. The code lets the columns be read again, and the request. */
class TableRewritten extends Error {
  override readonly name = 'TableRewritten'
  /** `feature_not_supported`, as for a prepared statement whose table has changed. */
  readonly code = '0A000'

  constructor() {
    super('a table was rewritten while it was read')
  }
}

/** How a plan is read. */
export interface ReadPlanOptions extends RunOptions {
  readonly present: PresentColumns
  /** Whether the connection keeps statements prepared. */
  readonly prepares: boolean
}

/** Hands the rows of the plan to the page. Rejects as `Connection.read` does, and with the first error of the page. */
export async function readPlan(
  connection: Connection,
  plan: Plan,
  page: PageWriter,
  options: ReadPlanOptions,
): Promise<void> {
  const { present, prepares } = options
  const fields = embeddedFields(plan, present, prepares)
  if (fields.every(({ statement }) => statement === null)) {
    await connection.read([request(statementOf(plan, present, { prepares }), (row) => page.take(row))], options)
    return
  }
  const isLayered = hasLayers(
    present,
    [plan.resource, ...fields.map(({ resource }) => resource)].map(({ table }) => table),
  )
  const { rows } = page
  try {
    await readInTransaction(connection, plan, { page, fields, check: isLayered ? 'locked' : 'plain' }, options)
  } catch (error) {
    // A server that is not quite PostgreSQL, or a role without the right: nothing of the page was read yet.
    if (!isLayered || page.rows > rows || !lacksFunctions(error)) throw error
    await readInTransaction(connection, plan, { page, fields, check: 'none' }, options)
  }
}

/** What is read in a transaction, and how rewritten tables are found. */
interface TransactionPlan {
  readonly page: PageWriter
  readonly fields: readonly EmbeddedField[]
  readonly check: 'plain' | 'locked' | 'none'
}

/** The check comes after the first statement, which locks all tables, and before the page gets a row. */
async function readInTransaction(
  connection: Connection,
  plan: Plan,
  { page, fields, check }: TransactionPlan,
  { present, prepares, ...options }: ReadPlanOptions,
): Promise<void> {
  const children = fields.map(({ resource, statement }) => (statement === null ? null : new ChildRows(resource, page)))
  const embedded = fields.flatMap(({ statement }, index) =>
    statement === null ? [] : [request(statement, (row) => children[index]?.take(row))],
  )
  const tables = [plan.resource, ...fields.flatMap(({ resource, statement }) => (statement === null ? [] : resource))]
  let isRewritten = false
  const isLayered = check === 'locked'
  const checks =
    check === 'none'
      ? []
      : [
          request(rewrittenStatement(tables, { isLayered, prepares }), ({ bytes, start, length }) => {
            isRewritten = bytes[start + length - 1] === 1
          }),
        ]
  const rows = request(statementOf(plan, present, { prepares }), (row) => page.take(row, children))
  try {
    await inTransaction(connection, options, prepares, [...embedded, ...checks, rows])
  } finally {
    for (const each of children) each?.release()
  }
  if (isRewritten) throw new TableRewritten()
}

async function inTransaction(
  connection: Connection,
  options: RunOptions,
  prepared: boolean,
  requests: readonly Request[],
): Promise<void> {
  const [begin, commit] = [BEGIN, COMMIT].map((text) => request({ text, values: [], prepared }, noop)) as [
    Request,
    Request,
  ]
  try {
    await connection.read([begin, ...requests, commit], options)
  } catch (error) {
    if (!connection.isClosed && connection.transaction !== 'none') await connection.script('rollback', options)
    throw error
  }
}

const BEGIN = 'begin isolation level repeatable read, read only'
const COMMIT = 'commit'

function request(statement: Statement, row: Sink['row']): Request {
  return { statement, sink: { format: 'binary', row } }
}

const noop = (_: Cell) => undefined
