// Reads the rows of a plan into a page, in one round trip: one statement, or, with embedded rows, a transaction.

import type { Cell, Connection, Request, RunOptions, Sink, Statement } from '@store-export/postgres'
import { ChildRows } from '../encode/child-rows.ts'
import { JoinedRow } from '../encode/joined-row.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import type { Children } from '../encode/row-encoder.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import { type EmbeddedField, embeddedFields, joinedStatement, rewrittenStatement } from '../query/embedded.ts'
import type { Plan } from '../query/plan.ts'
import { statementOf } from '../query/sql.ts'

/**
 * Thrown when a table was rewritten while the page was read. Its code, `serialization_failure`, lets the request be
 * tried again.
 */
class TableRewritten extends Error {
  override readonly name = 'TableRewritten'
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
  options: ReadPlanOptions,
): Promise<void> {
  const fields = embeddedFields(plan, options.present, options.prepares)
  const children = fields.map(({ resource, parent, statement }) =>
    statement === null ? null : new ChildRows(resource, parent, page),
  )
  const [field] = fields
  const [only] = children
  try {
    if (children.every((each) => each === null)) await readRows(connection, plan, page, options)
    else if (plan.kind === 'one' && field && only && fields.length === 1) {
      const joined = new JoinedRow(plan.resource, field.resource, only)
      const statement = joinedStatement(plan, field, options.present, options.prepares)
      await connection.read([request(statement, (row) => joined.take(row))], options)
      joined.writeTo(page)
    } else await readInTransaction(connection, plan, { page, fields, children }, options)
  } finally {
    for (const each of children) each?.release()
  }
}

async function readRows(connection: Connection, plan: Plan, page: PageWriter, options: ReadPlanOptions): Promise<void> {
  const statement = statementOf(plan, options.present, options)
  await connection.read([request(statement, (row) => page.take(row))], options)
}

/** Where rows with embedded rows go. */
interface EmbeddingPage {
  readonly page: PageWriter
  readonly fields: readonly EmbeddedField[]
  /** In the order of the fields. */
  readonly children: Children
}

async function readInTransaction(
  connection: Connection,
  plan: Plan,
  { page, fields, children }: EmbeddingPage,
  { present, prepares, ...options }: ReadPlanOptions,
): Promise<void> {
  const embedded = fields.flatMap(({ resource, statement }, index) =>
    statement === null ? [] : [{ resource, request: request(statement, (row) => children[index]?.take(row)) }],
  )
  const tables = [plan.resource, ...embedded.map(({ resource }) => resource)]
  let isRewritten = false
  await inTransaction(connection, options, prepares, [
    ...embedded.map(({ request }) => request),
    request(statementOf(plan, present, { prepares }), (row) => page.take(row, children)),
    request(rewrittenStatement(tables, prepares), ({ bytes, start, length }) => {
      isRewritten = bytes[start + length - 1] === 1
    }),
  ])
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
