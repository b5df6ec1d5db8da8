// Runs eight writers with overlapping transactions, and copies with different rules. Counts the rows that each copy has
// lost in the end.

import { setTimeout as delay } from 'node:timers/promises'
import { openClient } from '../../../test/support/client.ts'
import { Syncer, type SyncerOptions } from './syncer.ts'
import { startWriters } from './writers.ts'

/** A copy to compare. */
export interface Participant extends SyncerOptions {
  readonly name: string
}

/** What one copy has lost. */
export interface Outcome {
  readonly name: string
  readonly runs: number
  /** Number of orders that the store has and the copy lacks. */
  readonly missing: number
  /** Number of orders whose state in the copy is older. */
  readonly stale: number
}

/** What the writers did, and what the copies have lost. */
export interface ExperimentResult {
  /** Number of transactions of all writers. */
  readonly transactions: number
  /** Number of orders of the store at the end. */
  readonly orders: number
  readonly outcomes: readonly Outcome[]
}

/** Pause between two syncs of a copy, in ms. */
const PAUSE_MS = 50
/**
 * Pause before the last sync, in ms. A window ends a second before its request, so the last changes must be older than
 * a second.
 */
const SETTLED_MS = 1500

/**
 * Writes and copies for a number of seconds. Then every transaction ends and its changes settle, and every copy syncs
 * once more. Compares the copies with the store. Rejects if a copy or a writer fails.
 */
export async function experiment(
  ownerUrl: string,
  participants: readonly Participant[],
  seconds: number,
): Promise<ExperimentResult> {
  const until = performance.now() + seconds * 1000
  const syncers = participants.map((options) => ({ name: options.name, syncer: new Syncer(options) }))
  const writers = startWriters(ownerUrl)
  const running = syncers.map(({ syncer }) => runUntil(syncer, until))
  // The writers must stop before an error of a copy is thrown.
  const ended = await Promise.allSettled(running)
  const transactions = await writers.stop()
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  await delay(SETTLED_MS)
  for (const { syncer } of syncers) await syncer.run()
  const truth = await readOrders(ownerUrl)
  return { transactions, orders: truth.size, outcomes: syncers.map((each) => compare(each, truth)) }
}

async function runUntil(syncer: Syncer, until: number): Promise<void> {
  while (performance.now() < until) {
    await syncer.run()
    await delay(PAUSE_MS)
  }
}

async function readOrders(ownerUrl: string): Promise<Map<string, string | null>> {
  const sql = openClient(ownerUrl)
  try {
    const rows = await sql<
      { id: string; tracking: string | null }[]
    >`select id, tracking_number as tracking from orders`
    return new Map(rows.map(({ id, tracking }) => [id, tracking]))
  } finally {
    await sql.end()
  }
}

function compare({ name, syncer }: { name: string; syncer: Syncer }, truth: Map<string, string | null>): Outcome {
  const { copy, runs } = syncer
  const missing = [...truth.keys()].filter((id) => !copy.has(id)).length
  const stale = [...truth].filter(([id, tracking]) => copy.has(id) && copy.get(id) !== tracking).length
  return { name, runs, missing, stale }
}
