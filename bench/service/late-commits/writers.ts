// Runs writers with overlapping transactions, as in a shop. Most transactions end immediately. Some take as long as a
// call to a payment provider, and fewer take as long as an import. An insert gets the timestamp of the transaction's
// start, and an update that of the write. Both are visible only after the commit.

import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { openClient } from '../../../test/support/client.ts'

/** Running writers. */
export interface Writers {
  /**
   * Starts no more transactions, and waits for the open ones. Returns the number of all transactions since the start.
   * Rejects if a writer failed.
   */
  stop(): Promise<number>
}

/** Shares of the transactions, and their shortest and longest duration in ms. */
const DURATIONS = [
  { share: 0.85, shortest: 0, longest: 10 },
  { share: 0.13, shortest: 100, longest: 700 },
  { share: 0.02, shortest: 1500, longest: 3000 },
] as const
const WRITERS = 8
/**
 * Number of orders that a writer inserts before its first update. Each writer updates only its own orders, so that no
 * writer waits for the locks of another one.
 */
const OWN_ORDERS = 20

/** Starts eight writers of orders on the store. `ownerUrl` is the URL of the store's owner. */
export function startWriters(ownerUrl: string): Writers {
  const stopping = new AbortController()
  const all = Array.from({ length: WRITERS }, (_, writer) => write(ownerUrl, writer, stopping.signal))
  // `stop` rejects with the error of a writer.
  for (const each of all) each.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      const counts = await Promise.all(all)
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

async function write(ownerUrl: string, writer: number, signal: AbortSignal): Promise<number> {
  const sql = openClient(ownerUrl)
  const own: string[] = []
  let transactions = 0
  try {
    for (; !signal.aborted; transactions++) {
      const heldMs = durationMs()
      // Half of the time passes before the write, and half after it.
      await sql.unsafe('begin')
      await delay(heldMs / 2)
      await change(sql, own, `${writer}-${transactions}`)
      await delay(heldMs / 2)
      await sql.unsafe('commit')
      await delay(Math.random() * 5)
    }
    return transactions
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function change(sql: Sql, own: string[], mark: string): Promise<void> {
  if (own.length < OWN_ORDERS || Math.random() < 0.3) {
    const [row] = await sql.unsafe<[{ id: string }]>(
      `insert into orders (id, email, tracking_number) values (gen_random_uuid(), 'buyer@example.com', '${mark}') returning id`,
    )
    own.push(row.id)
    return
  }
  const id = own[Math.floor(Math.random() * own.length)]
  await sql.unsafe(`update orders set tracking_number = '${mark}' where id = '${id}'`)
}

function durationMs(): number {
  let at = Math.random()
  for (const { share, shortest, longest } of DURATIONS) {
    if (at < share) return shortest + Math.random() * (longest - shortest)
    at -= share
  }
  return 0
}
