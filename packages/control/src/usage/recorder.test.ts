import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { allowConnections } from '../../../../test/support/citus.ts'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { createKey } from '../access/create-key.ts'
import { listKeys } from '../access/keys.ts'
import type { ControlEvent } from '../control-event.ts'
import type { ControlDatabase } from '../database.ts'
import { removeStore } from '../stores.ts'
import { readRequestLog, readUsageHours, readWalks } from './reading.ts'
import type { RecordedRequest, UsageOutcome, WalkStep } from './recorded-request.ts'
import { createUsageRecorder } from './recorder.ts'
import { deleteOldUsage } from './retention.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const NEVER_MS = 600_000
const LOG_LINES = 100
const NOON = Date.parse('2026-03-01T12:00:00Z')

async function createTestKey() {
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
  const seen: ControlEvent[] = []
  const options = {
    database,
    now,
    emit: (o: ControlEvent) => seen.push(o),
    flushMs: NEVER_MS,
    requestLogLines: LOG_LINES,
  }
  return { seen, ...createUsageRecorder(entriesMax === undefined ? options : { ...options, entriesMax }) }
}

function request(keyId: string, outcome: UsageOutcome, more: Partial<RecordedRequest> = {}): RecordedRequest {
  const rest = {
    endpoint: '/api/v1/orders',
    status: 200,
    code: null,
    reason: null,
    requestId: 'r',
    rows: 3,
    durationMs: 1.4,
    minuteRequests: 1,
  }
  return { keyId, outcome, ...rest, walk: null, ...more }
}

function page(keyId: string, walk: WalkStep): RecordedRequest {
  return request(keyId, 'successful', { rows: 250, walk })
}

/** Returns a page of a key's request log, by default the newest. */
function logOf(keyId: string, more: { readonly before?: Date; readonly errorsOnly?: boolean } = {}) {
  const { database } = control
  return readRequestLog({
    database,
    keyId,
    since: new Date(0),
    before: null,
    errorsOnly: false,
    endpoint: null,
    ...more,
  })
}

function usageOf(keyId: string) {
  return control.sql`
    select hour, successful::int, client_errors::int as "clientErrors", rejected::int, failed::int from usage_hours where key_id = ${keyId} order by hour`
}

describe('usage of a key', () => {
  test('if usage is written in several steps, the usage table has the totals by key, hour, and outcome', async () => {
    const { id, storeId } = await createTestKey()
    let now = NOON + 3_599_999
    const usage = recorder(() => now)
    usage.record(request(id, 'successful'))
    usage.record(request(id, 'clientErrors'))
    usage.record(request(id, 'rejected'))
    now = NOON + 3_600_000
    usage.record(request(id, 'failed'))
    await usage.flush()
    usage.record(request(id, 'failed'))
    await usage.close()
    expect(await usageOf(id)).toEqual([
      { hour: new Date(NOON), successful: 1, clientErrors: 1, rejected: 1, failed: 0 },
      { hour: new Date(NOON + 3_600_000), successful: 0, clientErrors: 0, rejected: 0, failed: 2 },
    ])
    const [key] = await listKeys({ database: control.database, storeId })
    expect(key?.lastUsedAt).toEqual(new Date(now))
  })

  test('if two nodes write usage of the same keys at once, every write succeeds, and no request is lost', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, createTestKey))
    const nodes = [recorder(() => NOON), recorder(() => NOON, control.secondNode())]
    for (let round = 0; round < 10; round += 1) {
      for (const [index, node] of nodes.entries()) {
        for (const { id } of index === 0 ? keys : keys.toReversed()) {
          node.record(request(id, 'successful'))
        }
      }
      await Promise.all(nodes.map((node) => node.flush()))
    }
    expect(nodes.flatMap((node) => node.seen)).toEqual([])
    for (const { id } of keys) {
      expect(await usageOf(id)).toMatchObject([{ successful: 20 }])
    }
  })

  test("if older usage of a key is written after newer usage, the key's time of last use does not go back", async () => {
    const { id, storeId } = await createTestKey()
    for (const now of [NOON, NOON - 60_000]) {
      const usage = recorder(() => now)
      usage.record(request(id, 'successful'))
      await usage.close()
    }
    const [key] = await listKeys({ database: control.database, storeId })
    expect(key?.lastUsedAt).toEqual(new Date(NOON))
  })

  test('if writing usage fails, the recorder emits usage.write_failed, and the next write includes the unwritten usage', async () => {
    const { id } = await createTestKey()
    const usage = recorder(() => NOON)
    await control.sql`alter table usage_hours rename to usage_hours_away`
    usage.record(request(id, 'successful'))
    await usage.flush()
    usage.record(request(id, 'successful'))
    expect(usage.seen).toMatchObject([{ event: 'usage.write_failed', pending: 1, dropped: 0 }])
    await control.sql`alter table usage_hours_away rename to usage_hours`
    await usage.close()
    expect(await usageOf(id)).toMatchObject([{ successful: 2 }])
  })

  test('if a waiting write is canceled, usage that was recorded meanwhile is added to the unwritten usage', async () => {
    const { id } = await createTestKey()
    const usage = recorder(() => NOON)
    usage.record(request(id, 'successful'))
    await control.sql.begin(async (sql) => {
      await sql`select from api_keys where id = ${id} for update`
      const flushed = usage.flush()
      const waiting = () => control.sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%with recursive used%'`
      await expect.poll(waiting).toHaveLength(1)
      usage.record(request(id, 'failed'))
      for (const { pid } of await waiting()) await control.sql`select pg_cancel_backend(${pid}::int)`
      await flushed
    })
    expect(usage.seen).toMatchObject([{ event: 'usage.write_failed', pending: 1, dropped: 0 }])
    await usage.close()
    expect(await usageOf(id)).toMatchObject([{ successful: 1, failed: 1 }])
  })

  test('if unwritten usage exceeds the maximum number of entries, the recorder drops the excess and emits usage.write_failed', async () => {
    const [one, two] = [await createTestKey(), await createTestKey()]
    const usage = recorder(() => NOON, control.database, 1)
    usage.record(request(one.id, 'successful'))
    usage.record(request(two.id, 'successful'))
    usage.record(request(one.id, 'successful'))
    await usage.close()
    expect(usage.seen).toMatchObject([{ event: 'usage.write_failed', dropped: 1 }])
    expect(await usageOf(one.id)).toMatchObject([{ successful: 2 }])
  })

  test('if usageMonths is 13, the cleanup deletes only usage that is older than 13 months', async () => {
    const { id } = await createTestKey()
    for (const now of ['2025-01-31T23:00:00Z', '2025-02-01T00:00:00Z']) {
      const usage = recorder(() => Date.parse(now))
      usage.record(request(id, 'successful'))
      await usage.close()
    }
    const now = new Date('2026-03-01T00:00:00Z')
    expect(await deleteOldUsage({ database: control.database, usageMonths: 13, requestLogHours: 72, now })).toBe(1 + 2)
    expect(await usageOf(id)).toMatchObject([{ hour: new Date('2025-02-01T00:00:00Z') }])
  })
})

describe('the busiest minute of an hour', () => {
  test("if two nodes record a key's usage in one hour, the hour's usage has the higher of the nodes' peak request counts per minute", async () => {
    const { id } = await createTestKey()
    for (const [node, minuteRequests] of [[control.database, 41] as const, [control.secondNode(), 17] as const]) {
      const usage = recorder(() => NOON, node)
      usage.record(request(id, 'successful', { minuteRequests }))
      await usage.close()
    }
    const hours = await readUsageHours({ database: control.database, keyIds: [id], since: new Date(NOON) })
    expect(hours).toMatchObject([{ keyId: id, successful: 2, peakMinute: 41 }])
  })
})

describe('the request log of a key', () => {
  const MINUTE_MS = 60_000

  test('if two nodes log requests with the same endpoint and status within one minute, the request log merges them into one line', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const nodes = [recorder(() => now), recorder(() => now, control.secondNode())]
    for (const usage of nodes) {
      for (let second = 0; second < 60; second += 1) {
        now = NOON + second * 1000
        usage.record(request(id, 'successful', { rows: 250, durationMs: second }))
      }
      await usage.flush()
    }
    now = NOON + 59_500
    nodes[0]?.record(request(id, 'rejected', { status: 429, code: 'RATE_LIMITED', rows: 0, durationMs: 0.4 }))
    now = NOON + MINUTE_MS
    nodes[1]?.record(request(id, 'successful'))
    for (const usage of nodes) await usage.close()
    const line = { endpoint: '/api/v1/orders', status: 200, code: null, reason: null, lastRequestId: 'r' }
    const rejected = { ...line, status: 429, code: 'RATE_LIMITED' }
    const [minute, next] = [new Date(NOON), new Date(NOON + MINUTE_MS)]
    expect(await logOf(id)).toEqual({
      lines: [
        { ...line, minute: next, requests: 1, rows: 3, durationMs: 1, lastAt: next },
        { ...rejected, minute, requests: 1, rows: 0, durationMs: 0, lastAt: new Date(NOON + 59_500) },
        { ...line, minute, requests: 120, rows: 30_000, durationMs: 59, lastAt: new Date(NOON + 59_000) },
      ],
      hasOlder: false,
    })
    expect((await logOf(id, { errorsOnly: true })).lines).toMatchObject([{ status: 429 }])
  })

  test('if a key uses its whole rate limit for six hours, the request log contains one line per minute and list', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const options = { database: control.database, now: () => now, emit: () => undefined, flushMs: NEVER_MS }
    const usage = createUsageRecorder({ ...options, requestLogLines: 5000 })
    const lists = ['/api/v1/orders', '/api/v1/customers', '/api/v1/products']
    for (let minute = 0; minute < 360; minute += 1) {
      for (let count = 0; count < 120; count += 1) {
        now = NOON + minute * MINUTE_MS + count * 500
        usage.record(request(id, 'successful', { endpoint: lists[count % 3] ?? '' }))
      }
    }
    await usage.close()
    const lines: unknown[] = []
    let before: Date | null = null
    for (let pages = 0; pages < 20; pages += 1) {
      const page = await logOf(id, before === null ? {} : { before })
      lines.push(...page.lines)
      if (!page.hasOlder) break
      before = new Date(Math.min(...page.lines.map((line) => line.minute.getTime())))
    }
    expect(lines).toHaveLength(360 * 3)
    expect(lines.at(-1)).toMatchObject({ minute: new Date(NOON), requests: 40 })
  })

  test('if the request log of a key exceeds its maximum number of lines, the recorder deletes the oldest lines once an hour', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const usage = recorder(() => now)
    for (let minute = 0; minute < 300; minute += 1) {
      now = NOON + minute * MINUTE_MS
      usage.record(request(id, 'successful', { rows: minute }))
      if (minute % 10 === 0) await usage.flush()
    }
    await usage.close()
    const [{ kept } = { kept: 0 }] = await control.sql<{ kept: number }[]>`
      select count(*)::int as kept from request_log where key_id = ${id}`
    expect(kept).toBeGreaterThanOrEqual(LOG_LINES)
    // The lines of an hour, and of the batch that is written after the deletion.
    expect(kept).toBeLessThanOrEqual(LOG_LINES + 60 + 10)
    expect((await logOf(id)).lines.slice(0, 100).map(({ rows }) => rows)).toEqual(
      Array.from({ length: 100 }, (_, index) => 299 - index),
    )
  })

  test('if two nodes write request log lines of the same keys at once, no request is lost', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, createTestKey))
    const nodes = [recorder(() => NOON), recorder(() => NOON, control.secondNode())]
    for (let round = 0; round < 8; round += 1) {
      for (const [index, node] of nodes.entries()) {
        for (const { id } of index === 0 ? keys : keys.toReversed()) {
          for (let count = 0; count < 30; count += 1) node.record(request(id, 'successful'))
        }
      }
      await Promise.all(nodes.map((node) => node.flush()))
    }
    expect(nodes.flatMap((node) => node.seen)).toEqual([])
    for (const { id } of keys) expect((await logOf(id)).lines).toMatchObject([{ requests: 2 * 8 * 30 }])
  })

  test('if requestLogHours is 72, the cleanup deletes only request log lines and records of full syncs that are older than 72 hours', async () => {
    const { id } = await createTestKey()
    for (const now of [NOON, NOON + MINUTE_MS]) {
      const usage = recorder(() => now)
      usage.record(page(id, { begins: true, ends: false, filters: `status=${now}` }))
      usage.record(page(id, { begins: false, ends: false, filters: `status=${now}` }))
      await usage.close()
    }
    const { database } = control
    const now = new Date(NOON + MINUTE_MS + 72 * 3_600_000)
    await deleteOldUsage({ database, usageMonths: 13, requestLogHours: 72, now })
    expect((await logOf(id)).lines).toMatchObject([{ minute: new Date(NOON + MINUTE_MS) }])
    expect(await readWalks(database, id)).toMatchObject([{ begunAt: new Date(NOON + MINUTE_MS) }])
  })
})

describe('full syncs of a list', () => {
  const first = { begins: true, ends: false, filters: '' }
  const next = { begins: false, ends: false, filters: '' }
  const last = { begins: false, ends: true, filters: '' }

  test('if usage of one full sync is written in several steps, the list of full syncs shows one sync with all pages and rows', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const usage = recorder(() => now)
    usage.record(page(id, first))
    usage.record(page(id, next))
    await usage.flush()
    expect(await readWalks(control.database, id)).toMatchObject([{ pages: 2, rows: 500, ended: false }])
    now += 1000
    usage.record(page(id, last))
    await usage.close()
    expect(await readWalks(control.database, id)).toEqual([
      {
        endpoint: '/api/v1/orders',
        filters: '',
        begunAt: new Date(NOON),
        lastAt: new Date(now),
        pages: 3,
        rows: 750,
        ended: true,
      },
    ])
  })

  test('if one node has not yet recorded the first page of a full sync, another node delays writing the usage of the last page', async () => {
    const { id } = await createTestKey()
    const [one, two] = [recorder(() => NOON), recorder(() => NOON + 5, control.secondNode())]
    one.record(page(id, first))
    two.record(page(id, last))
    await two.flush()
    await one.close()
    expect(await readWalks(control.database, id)).toEqual([])
    await two.close()
    expect(await readWalks(control.database, id)).toMatchObject([{ pages: 2, ended: true }])
  })

  test('if a client restarts a full sync or starts one with another filter, the list of full syncs shows each start as a separate sync', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const usage = recorder(() => now)
    const paid = { filters: 'status=paid' }
    for (const step of [first, next, { ...first, ...paid }, first, { ...last, ...paid }, last]) {
      now += 1
      usage.record(page(id, step))
    }
    await usage.close()
    expect(await readWalks(control.database, id)).toMatchObject([
      { filters: '', pages: 2, ended: true, begunAt: new Date(NOON + 4) },
      { filters: 'status=paid', pages: 2, ended: true },
      { filters: '', pages: 2, ended: false, begunAt: new Date(NOON + 1) },
    ])
  })

  test('if a client requests only first pages, the list of full syncs is empty', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const usage = recorder(() => now)
    for (let poll = 0; poll < 300; poll += 1) {
      now += 1
      usage.record(page(id, first))
      if (poll % 40 === 0) await usage.flush()
    }
    await usage.close()
    expect(await readWalks(control.database, id)).toEqual([])
    expect(await control.sql`select from walks where key_id = ${id}`).toHaveLength(1)
  })

  test('if a client makes 60 full syncs with one key, the control database stores only 50 of them', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const usage = recorder(() => now)
    for (let walk = 0; walk < 60; walk += 1) {
      for (const step of [first, last]) {
        now += 1
        usage.record(page(id, step))
      }
    }
    await usage.close()
    expect(await readWalks(control.database, id)).toHaveLength(50)
    expect(await control.sql`select from walks where key_id = ${id}`).toHaveLength(50)
  })

  test('if several writes fail during a full sync, the next write adds the pages of all of them', async () => {
    const { id } = await createTestKey()
    let now = NOON
    const usage = recorder(() => now)
    usage.record(page(id, first))
    await usage.flush()
    await control.sql`alter table walks rename to walks_away`
    for (let write = 0; write < 3; write += 1) {
      now += 1
      usage.record(page(id, next))
      await usage.flush()
    }
    await control.sql`alter table walks_away rename to walks`
    await usage.close()
    expect(await readWalks(control.database, id)).toMatchObject([{ pages: 4, rows: 1000, lastAt: new Date(now) }])
  })

  test('if a page of a full sync fails, the list of full syncs shows the sync as unfinished, without the failed page', async () => {
    const { id } = await createTestKey()
    const usage = recorder(() => NOON)
    usage.record(page(id, first))
    usage.record(request(id, 'failed', { status: 502, code: 'STORE_DB_ERROR', rows: 0, walk: next }))
    await usage.close()
    expect(await readWalks(control.database, id)).toMatchObject([{ pages: 1, rows: 250, ended: false }])
  })
})

test('if a store is removed, its usage is deleted, and requests that end later add no usage', async () => {
  const { id, storeId } = await createTestKey()
  const usage = recorder(() => NOON)
  const use = () => usage.record(page(id, { begins: true, ends: false, filters: '' }))
  use()
  await usage.flush()
  await removeStore(control.database, storeId)
  use()
  await usage.close()
  const { database } = control
  expect(await readUsageHours({ database, keyIds: [id], since: new Date(0) })).toEqual([])
  expect((await logOf(id)).lines).toEqual([])
  expect(await readWalks(database, id)).toEqual([])
})

describe.skipIf(inject('citusWorkers') === undefined)('while a Citus worker is lost', () => {
  const worker = inject('citusWorkers')?.[0] ?? ''
  const step = (begins: boolean) => ({ begins, ends: false, filters: '' })

  /** Returns the keys whose usage is on the lost worker, and the keys on other workers. */
  async function createKeys() {
    const keys = await Promise.all(Array.from({ length: 16 }, createTestKey))
    const rows = await control.sql<{ id: string; isLost: boolean }[]>`
      select u.id, p.nodeport = ${new URL(worker).port} as "isLost" from unnest(${keys.map(({ id }) => id)}::uuid[]) u (id)
      join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('usage_hours', u.id)`
    const of = (isLost: boolean) => rows.filter((row) => row.isLost === isLost).map(({ id }) => id)
    const [lost, others] = [of(true), of(false)]
    // The chance that all keys are on one of two workers is 1 in 32,768.
    if (lost.length === 0 || others.length === 0) throw new Error('one worker has all keys of the test')
    return { lost, others }
  }

  async function withoutWorker(work: () => Promise<void>): Promise<void> {
    await allowConnections(worker, control.url, false)
    await work().finally(() => allowConnections(worker, control.url, true))
  }

  test('a node writes the usage of keys on other workers; once the worker is back, the node writes the rest exactly once', async () => {
    const { lost, others } = await createKeys()
    let now = NOON
    const usage = recorder(() => now)
    const use = (begins: boolean) => {
      now += 1
      for (const id of [...lost, ...others]) usage.record(page(id, step(begins)))
    }
    use(true)
    await usage.flush()
    await withoutWorker(async () => {
      for (const round of [1, 2]) {
        use(false)
        await usage.flush()
        expect(usage.seen.at(-1)).toMatchObject({ event: 'usage.write_failed', pending: lost.length, dropped: 0 })
        for (const id of others) await expectPages(id, 1 + round)
      }
    })
    use(false)
    await usage.close()
    expect(usage.seen).toHaveLength(2)
    for (const id of [...lost, ...others]) await expectPages(id, 4)
  })

  async function expectPages(id: string, pages: number): Promise<void> {
    expect(await usageOf(id)).toMatchObject([{ successful: pages }])
    expect((await logOf(id)).lines).toMatchObject([{ requests: pages }])
    expect(await readWalks(control.database, id)).toMatchObject(pages === 1 ? [] : [{ pages }])
  }

  test('the usage of its keys takes up at most half of the memory, so that no usage of other keys is dropped', async () => {
    const { lost, others } = await createKeys()
    const [lostId = '', otherId = ''] = [lost[0], others[0]]
    let now = NOON
    const usage = recorder(() => now, control.database, 4)
    const use = (id: string, hour: number) => {
      now = NOON + hour * 3_600_000
      usage.record(request(id, 'successful'))
    }
    await withoutWorker(async () => {
      for (const hour of [0, 1, 2]) use(lostId, hour)
      use(otherId, 0)
      await usage.flush()
      expect(usage.seen).toMatchObject([{ pending: 2, dropped: 1 }])
      for (const hour of [1, 2]) use(otherId, hour)
      await usage.flush()
      expect(usage.seen.at(-1)).toMatchObject({ pending: 2, dropped: 0 })
    })
    await usage.close()
    expect([await usageOf(lostId), await usageOf(otherId)].map(({ length }) => length)).toEqual([2, 3])
  })

  test('if the first use of a replacement needs this worker, its usage waits, and the usage of keys on other workers is written', async () => {
    const { others } = await createKeys()
    const { old, newId } = await createReplacement()
    const usage = recorder(() => NOON)
    await withoutWorker(async () => {
      for (const id of [newId, ...others]) usage.record(request(id, 'successful'))
      await usage.flush()
      for (const id of others) expect(await usageOf(id)).toMatchObject([{ successful: 1 }])
      expect(await usageOf(newId)).toEqual([])
    })
    await usage.close()
    expect(await usageOf(newId)).toMatchObject([{ successful: 1 }])
    const keys = await listKeys({ database: control.database, storeId: old.storeId })
    expect(keys.find(({ id }) => id === old.id)?.retiresAt).not.toBeNull()
  })

  /** Creates a key that is checked on the lost worker, and a replacement with usage on another worker. */
  async function createReplacement() {
    for (;;) {
      const old = await createTestKey()
      const { database, random } = control
      const replaces = { keyId: old.id, endsAfterHours: 1 } as const
      const options = { storeId: old.storeId, name: 'k', createdBy: null, replaces }
      const { id: newId } = await createKey({ database, random, ...options })
      const [found] = await control.sql`
        select from api_keys k
        join pg_dist_shard_placement o on o.shardid = get_shard_id_for_distribution_column('admissions', k.key_hash)
        join pg_dist_shard_placement n on n.shardid = get_shard_id_for_distribution_column('usage_hours', ${newId}::uuid)
        where k.id = ${old.id} and o.nodeport = ${new URL(worker).port} and n.nodeport <> o.nodeport`
      if (found !== undefined) return { old, newId }
    }
  }
})
