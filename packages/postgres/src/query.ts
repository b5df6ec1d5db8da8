// Runs one or more statements. `readRows` passes each row as bytes when it arrives. The other functions return the rows
// as objects, or the number in the command tag.

import type { Request, Sink } from './batch.ts'
import type { Cell } from './cell.ts'
import type { Connection } from './connection.ts'
import type { Statement } from './statement.ts'
import { type ColumnDescription, rowDecoder } from './typed-rows.ts'
import type { RunOptions } from './within.ts'

/** Maximum size of one statement's result in bytes, including the estimated memory of the objects. */
const RESULT_BYTES_MAX = 64 * 1024 * 1024
/**
 * Estimated bytes of an object, and of each property, without the values. Without this estimate, a hostile server could
 * fill the memory with empty rows.
 */
const OBJECT_BYTES = 32

/**
 * Called with each row. The cell spans the body of a DataRow message in the binary format, and is valid only during the
 * call.
 */
export type RowSink = (row: Cell) => void

/** Calls `take` with each row of the statement. Rejects like `Connection.read`, for which `take` is a sink. */
export async function readRows(
  connection: Connection,
  statement: Statement,
  take: RowSink,
  options: RunOptions = {},
): Promise<void> {
  await connection.read([{ statement, sink: { format: 'binary', row: take } }], options)
}

/**
 * Returns the rows of a statement as objects. `int8` becomes a bigint, dates and timestamps become a `Date`, and
 * `numeric` and arrays stay strings. Rejects like `Connection.read`, with `RangeError` if the result needs more than 64
 * MiB, and with `MalformedRow` for a row that can't be read.
 */
export async function queryRows<Row extends object>(
  connection: Connection,
  statement: Statement,
  options: RunOptions = {},
): Promise<Row[]> {
  const [rows = []] = await queryAll(connection, [statement], options)
  return rows as Row[]
}

/**
 * Returns the rows of each statement, in the order of `statements`. Sends them in one flush, as one group of
 * `Connection.run`. Rejects like `queryRows`. The limit of 64 MiB applies to each statement.
 */
export async function queryAll(
  connection: Connection,
  statements: readonly Statement[],
  options: RunOptions = {},
): Promise<object[][]> {
  const { requests, results } = collectRows(statements)
  await connection.read(requests, options)
  return results
}

/**
 * Returns requests for `Connection.run`, and one array for each statement, to which the rows are added as objects while
 * the requests run. `run` then also rejects with the `RangeError` and the `MalformedRow` of `queryRows`.
 */
export function collectRows(statements: readonly Statement[]): {
  readonly requests: readonly Request[]
  readonly results: object[][]
} {
  const sinks = statements.map(() => new Result())
  const requests = statements.map((statement, index) => ({ statement, sink: sinks[index] as Result }))
  return { requests, results: sinks.map(({ rows }) => rows) }
}

/**
 * Returns the rows of a statement, and the number in its command tag: the rows that a SELECT returned, or that another
 * statement changed. The number is 0 for a statement without such a number, such as CREATE TABLE. Rejects like
 * `queryRows`.
 */
export async function queryResult(
  connection: Connection,
  statement: Statement,
  options: RunOptions = {},
): Promise<{ readonly rows: readonly object[]; readonly count: number }> {
  const result = new Result()
  await connection.read([{ statement, sink: result }], options)
  return result
}

/** Runs a statement and returns the number in its command tag, like `queryResult`. Rejects like `queryRows`. */
export async function executeOn(
  connection: Connection,
  statement: Statement,
  options: RunOptions = {},
): Promise<number> {
  return (await queryResult(connection, statement, options)).count
}

class Result implements Sink {
  readonly format = 'text'
  readonly rows: object[] = []
  /** The number in the command tag, such as 5 in `UPDATE 5`; 0 without one. */
  count = 0
  private bytes = 0
  private overheadBytes = 0
  private decode: ReturnType<typeof rowDecoder> | null = null

  columns(fields: readonly ColumnDescription[]): void {
    this.decode = rowDecoder(fields)
    this.overheadBytes = OBJECT_BYTES * (1 + fields.length)
  }

  row(row: Cell): void {
    this.bytes += row.length + this.overheadBytes
    if (this.bytes > RESULT_BYTES_MAX)
      throw new RangeError(`the result exceeds ${RESULT_BYTES_MAX} bytes; select fewer rows`)
    if (this.decode !== null) this.rows.push(this.decode(row))
  }

  completed(tag: string): void {
    this.count = Number(/\d+$/.exec(tag)?.[0] ?? 0)
  }
}
