// Tests incremental syncs while transactions commit late: with the watermark or the client's own clock, and with or
// without the transaction wait.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { experiment } from '../bench/service/late-commits/experiment.ts'
import { startNode } from '../packages/api/test/support/start-node.ts'
import type { RunningService } from '../packages/operator/src/service.ts'
import { migrationStatements } from '../packages/operator/src/store-schema/migrate-store.ts'
import { startPlatform, type TestPlatform, type TestStore } from './support/platform.ts'
import { roundsOf } from './support/rounds.ts'

const SECONDS = roundsOf({ quick: 6, long: 120 })

let platform: TestPlatform
let store: TestStore
let unguarded: RunningService

beforeAll(async () => {
  platform = await startPlatform({ TRANSACTION_WAIT_MS: '500' })
  unguarded = await startNode(platform, { TRANSACTION_WAIT_MS: '0' })
  store = await platform.provision()
})
afterAll(async () => {
  await unguarded.close()
  await platform.close()
})

test(
  '[SYNC-1] if transactions commit late, a client that uses the watermark loses no row, and a client that uses its own clock loses rows',
  async () => {
    const { key } = store
    const guarded = platform.service.url
    const participants = [
      { name: 'own clock', url: unguarded.url, key, rule: 'own clock', clockAheadMs: 0 },
      { name: 'own clock and wait', url: guarded, key, rule: 'own clock', clockAheadMs: 0 },
      { name: 'watermark', url: unguarded.url, key, rule: 'watermark', clockAheadMs: 2000 },
      { name: 'watermark and wait', url: guarded, key, rule: 'watermark', clockAheadMs: 2000 },
    ] as const
    const { outcomes, transactions } = await experiment(store.ownerUrl, participants, SECONDS)
    const lost = outcomes.map(({ name, missing, stale }) => `${name}: ${missing} missing, ${stale} stale`)
    console.log(
      `measured: timestamps in microseconds: ${transactions} transactions in ${SECONDS} s; ${lost.join('; ')}`,
    )
    const lostBy = new Map(outcomes.map(({ name, missing, stale }) => [name, missing + stale]))
    expect(lostBy.get('watermark')).toBe(0)
    expect(lostBy.get('watermark and wait')).toBe(0)
    expect(lostBy.get('own clock')).toBeGreaterThan(0)
  },
  (SECONDS + 30) * 1000,
)

test(
  '[SYNC-1] if a store rounds timestamps to whole seconds, a client that uses the watermark loses no row',
  async () => {
    const coarse = await platform.provision()
    await roundToSeconds(coarse)
    const common = { key: coarse.key, rule: 'watermark', clockAheadMs: 0 } as const
    const participants = [
      { name: 'watermark', url: unguarded.url, ...common },
      { name: 'watermark and wait', url: platform.service.url, ...common },
    ]
    const { outcomes, transactions } = await experiment(coarse.ownerUrl, participants, SECONDS)
    const lost = outcomes.map(({ name, missing, stale }) => `${name}: ${missing} missing, ${stale} stale`)
    console.log(
      `measured: timestamps in whole seconds: ${transactions} transactions in ${SECONDS} s; ${lost.join('; ')}`,
    )
    expect(outcomes.map(({ missing, stale }) => missing + stale)).toEqual([0, 0])
  },
  (SECONDS + 30) * 1000,
)

/** Rounds the timestamps of orders to whole seconds with `timestamptz(0)`. */
async function roundToSeconds({ sql }: TestStore): Promise<void> {
  const triggers = migrationStatements('launch').filter((text) =>
    /^create trigger updated_at_\w+ .* on public\.orders /.test(text),
  )
  expect(triggers).toHaveLength(3)
  const names = triggers.map((text) => /updated_at_\w+/.exec(text)?.[0])
  await sql.unsafe(
    [
      ...names.map((name) => `drop trigger ${name} on orders`),
      'alter table orders alter created_at type timestamptz(0), alter updated_at type timestamptz(0)',
      ...triggers,
    ].join(';'),
  )
}
