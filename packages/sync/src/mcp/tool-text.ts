// Types and the error that all MCP tools share.

import type { Query, QueryResponse } from './query-process.ts'

/** A successful response of the query process: the results, the state of each table's sync, and the tables read. */
export type Reading = Exclude<QueryResponse, { readonly error: string }>

/** The text of a tool's result, and the reading that determines the time of the data before the text. */
export interface ToolText {
  readonly text: string
  readonly reading: Reading
}

/**
 * Runs statements on one snapshot of the copy. Rejects with `ToolError` if a statement fails, and also with the errors
 * of `QueryRunner.run`.
 */
export type ReadCopy = (queries: readonly Query[]) => Promise<Reading>

/** Thrown if a call fails because of its arguments or its statement. The assistant sees the message. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
