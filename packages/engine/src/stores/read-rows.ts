// Runs one COPY and hands out its messages, one row each, as they arrive.

import { Readable } from 'node:stream'
import { copyReaderOf, type Sql } from '../connection.ts'
import type { TakeRow } from '../connection-messages.ts'

/** What becomes of the output. */
export interface CopyOptions {
  /** Called with every message. */
  readonly take: TakeRow
  /** Cancels the statement: nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls `take` with every message of the statement's output; resolves at its end. Rejects with the first error, that of
 * `take` or of a cancelled statement too: not before the server has heard of it, so that it meets no later statement.
 * `sql` is a pool of one connection, on which nothing else runs meanwhile.
 */
export async function copyOut(sql: Sql, statement: string, { take, signal }: CopyOptions): Promise<void> {
  const reader = copyReaderOf(sql)
  reader.begin(take)
  const query = sql.unsafe(statement)
  let cancelling: unknown
  const cancel = () => {
    // typed as nothing, it is a promise; a server that cannot be reached ends the statement by its time limit
    cancelling = Promise.resolve<unknown>(query.cancel()).catch(() => undefined)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    await copying(query)
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancelling
    reader.stop()
  }
  reader.throwFailure()
}

/**
 * The driver hands out its stream, which stays empty, as the value of a promise. An error that stands in the same packet
 * as the answer's begin (a cast that fails on the first row) destroys the stream before that promise's followers run, and
 * an error that nobody listens for ends the process. So the statement's own `resolve` is taken over: it is called at once.
 */
function copying(query: ReturnType<Sql['unsafe']>): Promise<void> {
  return new Promise((resolve, reject) => {
    let flowing = false
    const answered = (answer: unknown) => {
      // Called a second time when the server is ready for the next statement.
      if (flowing) return
      flowing = answer instanceof Readable
      if (answer instanceof Readable) answer.on('error', reject).on('end', resolve).resume()
      else reject(new Error('the statement is no COPY'))
    }
    Object.assign(query, { resolve: answered, reject })
    void query.readable()
  })
}
