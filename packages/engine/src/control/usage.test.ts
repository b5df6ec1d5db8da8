import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/control-database.ts'
import { createKey, listKeys } from '../access/key-ring.ts'
import type { Observation } from '../observe.ts'
import type { ControlDatabase } from './database.ts'
import { createUsageRecorder, deleteOldUsage } from './usage.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const NEVER_MS = 600_000
const NOON = Date.parse('2026-03-01T12:00:00Z')

async function aKey() {
  const store = await control.store()
  return createKey({
    database: control.database,
    storeId: store.id,
    name: 'k',
    createdBy: null,
    random: control.random,
  })
}

function recorder(now: () => number, database: ControlDatabase = control.database, entriesMax?: number) {
  const seen: Observation[] = []
  const options = { database, now, observe: (o: Observation) => seen.push(o), flushMs: NEVER_MS }
  return { seen, ...createUsageRecorder(entriesMax === undefined ? options : { ...options, entriesMax }) }
}

function usageOf(keyId: string) {
  return control.database.sql`
    select hour, answered::int, refused::int, failed::int from usage_hours where key_id = ${keyId} order by hour`
}

describe('usage', () => {
  test('requests are counted by key, hour and outcome, over several flushes', async () => {
    const { id, storeId } = await aKey()
    let now = NOON + 3_599_999
    const usage = recorder(() => now)
    usage.record(id, 'answered')
    usage.record(id, 'refused')
    now = NOON + 3_600_000
    usage.record(id, 'failed')
    await usage.flush()
    usage.record(id, 'failed')
    await usage.close()
    expect(await usageOf(id)).toEqual([
      { hour: new Date(NOON), answered: 1, refused: 1, failed: 0 },
      { hour: new Date(NOON + 3_600_000), answered: 0, refused: 0, failed: 2 },
    ])
    const [key] = await listKeys({ database: control.database, storeId })
    expect(key?.lastUsedAt).toEqual(new Date(now))
  })

  test('two nodes that write the same keys at once lose nothing and never wait for each other for ever', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, aKey))
    const nodes = [recorder(() => NOON), recorder(() => NOON, control.secondNode())]
    for (let round = 0; round < 10; round += 1) {
      for (const [index, node] of nodes.entries()) {
        for (const { id } of index === 0 ? keys : keys.toReversed()) {
          node.record(id, 'answered')
        }
      }
      await Promise.all(nodes.map((node) => node.flush()))
    }
    expect(nodes.flatMap((node) => node.seen)).toEqual([])
    for (const { id } of keys) {
      expect(await usageOf(id)).toMatchObject([{ answered: 20 }])
    }
  })

  test('an older time never moves the last use back', async () => {
    const { id, storeId } = await aKey()
    for (const now of [NOON, NOON - 60_000]) {
      const usage = recorder(() => now)
      usage.record(id, 'answered')
      await usage.close()
    }
    const [key] = await listKeys({ database: control.database, storeId })
    expect(key?.lastUsedAt).toEqual(new Date(NOON))
  })

  test('what cannot be written is observed and kept for the next time', async () => {
    const { id } = await aKey()
    const usage = recorder(() => NOON)
    await control.database.sql`alter table usage_hours rename to usage_hours_away`
    usage.record(id, 'answered')
    await usage.flush()
    usage.record(id, 'answered')
    expect(usage.seen).toMatchObject([{ event: 'usage flush failed', kept: 1, dropped: 0 }])
    await control.database.sql`alter table usage_hours_away rename to usage_hours`
    await usage.close()
    expect(await usageOf(id)).toMatchObject([{ answered: 2 }])
  })

  test('memory is bounded: what does not fit is dropped and observed', async () => {
    const [one, two] = [await aKey(), await aKey()]
    const usage = recorder(() => NOON, control.database, 1)
    usage.record(one.id, 'answered')
    usage.record(two.id, 'answered')
    usage.record(one.id, 'answered')
    await usage.close()
    expect(usage.seen).toMatchObject([{ event: 'usage flush failed', dropped: 1 }])
    expect(await usageOf(one.id)).toMatchObject([{ answered: 2 }])
  })

  test('old usage is deleted, to the month', async () => {
    const { id } = await aKey()
    for (const now of ['2025-01-31T23:00:00Z', '2025-02-01T00:00:00Z']) {
      const usage = recorder(() => Date.parse(now))
      usage.record(id, 'answered')
      await usage.close()
    }
    const now = new Date('2026-03-01T00:00:00Z')
    expect(await deleteOldUsage({ database: control.database, months: 13, now })).toBe(1)
    expect(await usageOf(id)).toMatchObject([{ hour: new Date('2025-02-01T00:00:00Z') }])
  })
})
