// Tests nodes with wrong clocks, one an hour ahead and one an hour behind. Rate limits and keys depend on the clock of
// the control database.

import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { openClientForTest, runCommand, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { createPlatform, idsOf, type RealPlatform, type RealStore } from '../support/real-service.ts'

const BURSTS = roundsOf({ quick: 1, long: 5 })
const HOUR_MS = 3_600_000
const LIMIT = 120
const PRELOADED = path.join(import.meta.dirname, '..', 'support', 'shifted-clock-child.ts')
const SIZE = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 90_000 + 70_000 * BURSTS })

/** Starts a node that is an hour ahead and one that is an hour behind. */
async function wrongNodes(platform: RealPlatform) {
  const [ahead, behind] = await Promise.all([wrongNode(platform, HOUR_MS), wrongNode(platform, -HOUR_MS)])
  return { ahead, behind }
}

async function wrongNode(platform: RealPlatform, ms: number) {
  const node = await platform.startNode({
    settings: { REQUESTS_PER_MINUTE: String(LIMIT), LOG_LEVEL: 'info' },
    environment: { NODE_OPTIONS: `--import=${PRELOADED}`, MOVED_CLOCK_MS: String(ms) },
  })
  const [, time = ''] = await node.running.waitForOutput(/"time":"([^"]+)"/)
  expect(Math.abs(Date.parse(time) - Date.now() - ms), 'its clock is wrong').toBeLessThan(HOUR_MS / 10)
  return node
}

test(`[LIM-1, R8] if two nodes have wrong clocks, they together accept ${LIMIT} requests of a key per minute (bursts: ${BURSTS})`, async () => {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const { ahead, behind } = await wrongNodes(platform)
  const sql = openClientForTest(platform.controlUrl)
  const minute = async () => (await sql`select date_trunc('minute', clock_timestamp())::text as minute`)[0]?.minute
  const burst = async () => {
    // A store has at most five keys, so each burst has its own store.
    const { key } = await platform.addStore(store, store.readerUrl)
    const [before, responses] = [
      await minute(),
      await Promise.all(
        Array.from({ length: LIMIT + 30 }, (_, index) =>
          fetch(`${(index % 2 === 0 ? ahead : behind).url}/api/v1/locations`, { headers: { 'x-api-key': key } }),
        ),
      ),
    ]
    return { responses, isOneMinute: before === (await minute()) }
  }
  const minutesOff = async () => {
    const [row] = await sql`select max(abs(extract(epoch from clock_timestamp() - minute)) / 60)::float8 as most
      from request_counters`
    return row?.most
  }
  for (let round = 0; round < BURSTS; round++) {
    // A new minute can start in one burst, but not in two bursts in a row.
    const first = await burst()
    const { responses } = first.isOneMinute ? first : await burst()
    const admitted = responses.filter(({ status }) => status === 200)
    const refused = responses.filter(({ status }) => status === 429)
    expect([admitted.length, refused.length]).toEqual([LIMIT, 30])
    expect(await minutesOff(), 'the minute that was counted is the database’s').toBeLessThan(10)
    for (const { headers } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
  }
})

test("[AUTH-5, PAG-4] if two nodes have wrong clocks, both reject revoked keys and accept each other's cursors", async () => {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const { ahead, behind } = await wrongNodes(platform)
  const { settings } = platform
  const made = (await runCommand(['keys', 'create', '--store', store.id, '--name', 'k', '--json'], { settings })).json
  const fresh: Pick<RealStore, 'key'> = { key: made.key }
  const walked: string[] = []
  for (let [cursor, page] = ['' as string | null, 0]; cursor !== null; page++) {
    const { status, json } = await (page % 2 === 0 ? ahead : behind).get(`/api/v1/orders?limit=7${cursor}`, fresh)
    expect(status).toBe(200)
    walked.push(...json.data.map(({ id }: { id: string }) => id))
    const { next_cursor: next } = json.meta
    cursor = next === null ? null : `&cursor=${next}`
  }
  expect(walked).toEqual(await idsOf(store, 'orders'))
  expect((await runCommand(['keys', 'revoke', made.id], { settings })).code).toBe(0)
  for (const node of [ahead, behind]) expect((await node.get('/api/v1/store', fresh)).status).toBe(401)
})
