// Sends several statements in one flush, so that they cost one round trip, and reads their responses in order. Groups
// of statements end with a Sync. If a statement fails, the server skips the statements after it in its group.

import type { Cell } from './cell.ts'
import type { PostgresError } from './errors.ts'
import { cString, Exchange, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'
import type { MessageWriter, ResultFormat } from './message-writer.ts'
import type { PreparedStatement, PreparedStatements } from './prepared-statements.ts'
import { type Statement, wireValue } from './statement.ts'
import { type ColumnDescription, readColumnDescriptions } from './typed-rows.ts'

/**
 * Callbacks for the result of one statement. After an exception, `Batch` makes no further calls, reads the remaining
 * responses, and rejects with the exception. An exception of `columns` before the statement is sent prevents the batch.
 */
export interface Sink {
  /** Format of the values in the rows. */
  readonly format: ResultFormat
  /** Called with the body of each DataRow or CopyData message. The cell is valid only during the call. */
  row(message: Cell): void
  /**
   * Called with the columns before the first row; if the connection knows them, even before it sends the statement.
   * Without this method, the server doesn't describe the columns.
   */
  columns?(fields: readonly ColumnDescription[]): void
  /** Called after a success with the command tag, such as `SELECT 5` or `UPDATE 0`; '' for an empty statement. */
  completed?(tag: string): void
}

/** A statement to send, and the callbacks that receive its result. */
export interface Request {
  readonly statement: Statement
  readonly sink: Sink
}

/** A response that the server must still send. */
interface Step {
  readonly type: number
  readonly request: Request | null
  readonly prepared: PreparedStatement | null
}

/**
 * SQLSTATE codes of errors that a prepared statement causes before it runs: `26000` (the server lacks the statement),
 * `0A000` (the columns of its result have changed), and `42P05` (the name exists already). A pooler that mixes up
 * connections causes the first and the last one. The connection prepares the statement again at its next use.
 */
export const STALE_CODES: ReadonlySet<string> = new Set(['26000', '0A000', '42P05'])

/**
 * Runs groups of statements. Each group ends with a Sync. An error that isn't fatal ends the group, but not the batch.
 * Resolves with the error of each group; null for a group that succeeded. Rejects with the first error of a sink after
 * the last response, and if the connection ends.
 */
export class Batch extends Exchange<(PostgresError | null)[]> {
  readonly #prepared: PreparedStatements
  readonly #steps: Step[] = []
  /** Texts of the statements that the current group prepares. */
  readonly #added = new Set<string>()
  #next = 0
  readonly #errors: (PostgresError | null)[] = []
  /** First error of the current group. */
  #error: PostgresError | null = null
  /** First error of a sink; null if there is none. */
  #sinkError: { readonly cause: unknown } | null = null

  /**
   * Writes the messages of all groups to `writer`. Throws `TypeError` for a text or a value that can't be sent, and
   * `RangeError` for more than 65,535 values in a statement. Also throws the exception of a sink's `columns`.
   */
  constructor(groups: readonly (readonly Request[])[], prepared: PreparedStatements, writer: MessageWriter) {
    super()
    this.#prepared = prepared
    const stale = prepared.takeStale()
    try {
      for (const name of stale) {
        writer.close(name)
        this.#expect(SERVER.closeComplete)
      }
      for (const group of groups) {
        for (const request of group) this.#write(request, writer)
        writer.sync()
        this.#expect(SERVER.readyForQuery)
        this.#added.clear()
      }
    } catch (error) {
      // This batch was never sent to the server.
      for (const step of this.#steps) if (step.type === SERVER.parseComplete) this.#forget(step)
      prepared.keepStale(stale)
      throw error
    }
  }

  receive(type: number, body: Cell): boolean {
    const step = this.#steps[this.#next]
    if (step === undefined) throw outOfOrder(type)
    switch (type) {
      case SERVER.dataRow:
      case SERVER.copyData:
        this.#row(step, type, body)
        return false
      case SERVER.copyOutResponse:
      case SERVER.copyDone:
        if (step.type !== SERVER.commandComplete) throw outOfOrder(type)
        return false
      case SERVER.noData:
      case SERVER.rowDescription:
        this.#columns(step, type, body)
        break
      case SERVER.commandComplete:
      case SERVER.emptyQueryResponse:
        this.#completed(step, type, body)
        break
      case SERVER.readyForQuery:
        this.#ready(step, type)
        break
      default:
        if (step.type !== type) throw outOfOrder(type)
        if (type === SERVER.parseComplete && step.prepared !== null) step.prepared.isParsed = true
    }
    this.#next++
    if (this.#next < this.#steps.length) return false
    this.#end()
    return true
  }

  /**
   * Records the group's first error, and skips to the group's Sync, as the server does. Returns whether the error is
   * fatal, so that the server closes the connection.
   */
  refuse(error: PostgresError): boolean {
    this.#error ??= error
    // The server skips the rest of the group, so it doesn't prepare the statements there. After a stale code, the
    // failed statement and those after it must be prepared again, too.
    const isStale = STALE_CODES.has(error.code)
    for (; this.#steps[this.#next] !== undefined; this.#next++) {
      const step = this.#steps[this.#next] as Step
      if (step.type === SERVER.readyForQuery) break
      if (step.type === SERVER.parseComplete || isStale) this.#forget(step)
    }
    return error.isFatal
  }

  #write(request: Request, writer: MessageWriter): void {
    const { statement, sink } = request
    const known = statement.prepared === true ? this.#known(statement.text) : null
    const prepared = known ?? (statement.prepared === true ? this.#prepared.add(statement.text) : null)
    const name = prepared?.name ?? ''
    if (known === null) {
      if (prepared !== null) this.#added.add(statement.text)
      this.#expect(SERVER.parseComplete, request, prepared)
      writer.parse(name, statement.text)
    }
    writer.bind(name, statement.values.map(wireValue), sink.format)
    this.#expect(SERVER.bindComplete, request, prepared)
    if (sink.columns !== undefined) {
      if (prepared !== null && prepared.fields !== null) sink.columns(prepared.fields)
      else {
        writer.describe()
        this.#expect(SERVER.rowDescription, request, prepared)
      }
    }
    writer.execute()
    this.#expect(SERVER.commandComplete, request, prepared)
  }

  /**
   * Returns the statement with this text; null unless the server certainly has it, or gets it earlier in this group. An
   * earlier group of this batch may fail before it prepares the statement, so this group prepares it again under
   * another name.
   */
  #known(text: string): PreparedStatement | null {
    const known = this.#prepared.get(text)
    if (known === null || known.isParsed || this.#added.has(text)) return known
    this.#prepared.forget(text)
    return null
  }

  #forget({ request, prepared }: Step): void {
    if (request !== null && prepared !== null) this.#prepared.forget(request.statement.text, prepared.name)
  }

  #expect(type: number, request: Request | null = null, prepared: PreparedStatement | null = null): void {
    this.#steps.push({ type, request, prepared })
  }

  #row({ type: expected, request }: Step, type: number, body: Cell): void {
    if (expected !== SERVER.commandComplete || request === null) throw outOfOrder(type)
    if (this.#sinkError !== null) return
    // This is not a closure, because one would be allocated for each row.
    try {
      request.sink.row(body)
    } catch (cause) {
      this.#sinkError = { cause }
    }
  }

  #call(sinkMethod: () => void): void {
    if (this.#sinkError !== null) return
    try {
      sinkMethod()
    } catch (cause) {
      this.#sinkError = { cause }
    }
  }

  #columns({ type: expected, request, prepared }: Step, type: number, body: Cell): void {
    if (expected !== SERVER.rowDescription) throw outOfOrder(type)
    const fields = type === SERVER.noData ? [] : readColumnDescriptions(body)
    if (prepared !== null) prepared.fields = fields
    this.#call(() => request?.sink.columns?.(fields))
  }

  #completed({ type: expected, request }: Step, type: number, body: Cell): void {
    if (expected !== SERVER.commandComplete) throw outOfOrder(type)
    if (request?.sink.completed !== undefined) this.#call(() => request.sink.completed?.(cString(body)))
  }

  #ready({ type: expected }: Step, type: number): void {
    if (expected !== SERVER.readyForQuery) throw outOfOrder(type)
    this.#errors.push(this.#error)
    this.#error = null
  }

  #end(): void {
    if (this.#sinkError === null) this.settle.resolve(this.#errors)
    else this.settle.reject(this.#sinkError.cause)
  }
}
