// Runs the baseline of the variants that read pages: a client that reads the same rows with COPY as text and drops
// them.

import type { Sql } from 'postgres'
import { openClient } from '../../test/support/client.ts'
import { handleCalls } from '../lib/child-calls.ts'

let sql: Sql | undefined

handleCalls({ start, run }, async () => sql?.end())

/** Connects to the store. The connection is open before the first round. */
async function start(url: string): Promise<void> {
  sql = openClient(url)
  await sql.unsafe('select 1')
}

/** Runs COPY statements one after another. Returns the number of bytes. */
async function run(statements: readonly string[]): Promise<number> {
  let bytes = 0
  for (const statement of statements) bytes += await drain(statement)
  return bytes
}

async function drain(statement: string): Promise<number> {
  if (sql === undefined) throw new Error('not started')
  const stream = await sql.unsafe(statement).readable()
  return new Promise((resolve, reject) => {
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    stream.on('error', reject)
    stream.on('end', () => resolve(bytes))
  })
}
