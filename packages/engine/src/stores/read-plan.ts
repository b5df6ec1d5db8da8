// Reads the rows of a plan into a page, in one round trip: one statement, or, with embedded rows, a transaction.

import type { Cell, Connection, Request, RunOptions, Sink, Statement } from '@store-export/postgres'
import { ChildRows } from '../encode/child-rows.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import { embeddedFields, rewrittenStatement } from '../query/embedded.ts'
import type { Plan } from '../query/plan.ts'
import { statementOf } from '../query/sql.ts'

/** Thrown when a table was rewritten while the page was read. The code lets the request be tried again. */
class TableRewritten extends Error {
  override readonly name = 'TableRewritten'
  /** `serialization_failure`. */
  readonly code = '40001'

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
  { present, prepares, ...options }: ReadPlanOptions,
): Promise<void> {
  const rows = statementOf(plan, present, { prepares })
  const fields = embeddedFields(plan, present, prepares)
  const read = fields.filter(({ statement }) => statement !== null)
  if (read.length === 0) return await connection.read([request(rows, (row) => page.take(row))], options)
  const parentsMax = plan.kind === 'page' ? plan.limit : 1
  const children = fields.map(({ resource, parent, statement }) =>
    statement === null ? null : new ChildRows(resource, parent, parentsMax),
  )
  let isRewritten = false
  const tables = [plan.resource, ...read.map(({ resource }) => resource)]
  try {
    await inTransaction(connection, options, prepares, [
      ...fields.flatMap(({ statement }, index) =>
        statement === null ? [] : [request(statement, (row) => children[index]?.take(row))],
      ),
      request(rows, (row) => page.take(row, children)),
      request(rewrittenStatement(tables, prepares), ({ bytes, start, length }) => {
        isRewritten = bytes[start + length - 1] === 1
      }),
    ])
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
