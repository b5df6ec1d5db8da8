// Runs one COPY and hands out its messages, one row each, as they arrive.

import { Readable } from 'node:stream'
import type { Sql } from '../connection.ts'

/**
 * Calls `take` with every message of the statement's output; resolves at its end. Rejects with the first error.
 *
 * The driver hands out its stream as the value of a promise. An error that stands in the same packet as the answer's
 * begin (a cast that fails on the first row) destroys the stream before that promise's followers run, and an error that
 * nobody listens for ends the process. So the statement's own `resolve` is taken over: it is called at once.
 */
export function copyOut(sql: Sql, statement: string, take: (message: Buffer) => void): Promise<void> {
  const query = sql.unsafe(statement)
  return new Promise((resolve, reject) => {
    let flowing = false
    const answered = (answer: unknown) => {
      // Called a second time when the server is ready for the next statement.
      if (flowing) return
      flowing = answer instanceof Readable
      if (answer instanceof Readable) flow(answer, take).then(resolve, reject)
      else reject(new Error('the statement is no COPY'))
    }
    Object.assign(query, { resolve: answered, reject })
    void query.readable()
  })
}

/**
 * The stream flows to its end even after a failure, so that its connection stays usable. In flowing mode each chunk is
 * one message; the row decoder checks that it ends where the message does.
 */
function flow(stream: Readable, take: (message: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: unknown = null
    stream.on('data', (message: Buffer) => {
      if (failure !== null) return
      try {
        take(message)
      } catch (error) {
        failure = error
      }
    })
    stream.on('error', reject)
    stream.on('end', () => (failure === null ? resolve() : reject(failure)))
  })
}
