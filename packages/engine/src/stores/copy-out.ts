// Runs one COPY and hands out its messages, one row each, as they arrive.

import type { Readable } from 'node:stream'
import type { Sql } from '../connection.ts'

/** Calls `take` with every message of the statement's output; resolves at its end. Rejects with the first error. */
export async function copyOut(sql: Sql, statement: string, take: (message: Buffer) => void): Promise<void> {
  const stream: Readable = await sql.unsafe(statement).readable()
  await new Promise<void>((resolve, reject) => {
    let failure: unknown = null
    // The stream flows to its end even after a failure, so that its connection stays usable. In flowing mode each
    // chunk is one message; the row decoder checks that it ends where the message does.
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
