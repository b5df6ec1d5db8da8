import type { Sql } from 'postgres'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openClient } from '../../../../test/support/client.ts'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { createKey } from '../access/create-key.ts'
import { readUsageHours } from './reading.ts'
import { createUsageRecorder } from './recorder.ts'
import { deleteOldUsage, sumUpOldHours } from './retention.ts'

const NOW = new Date('2026-03-20T15:30:00Z')
/** With Citus, the locks are on the workers, and a change of several shards waits for other changes of them. */
const testOnOneServer = test.skipIf(inject('citusWorkers') !== undefined)

test('if usageHourDays is 32, hourly usage older than 32 days is replaced with one row per key and UTC day with the same sums', async () => {
  const control = await createControlDatabase()
  onTestFinished(() => control.drop())
  const { database, random } = control
  const { id: storeId } = await control.store()
  const newKey = async (name: string) => (await createKey({ database, storeId, name, createdBy: null, random })).id
  const keys = [await newKey('one'), await newKey('two')]
  // There are three days of hours. 32 days before the start of the day of NOW is 2026-02-16 00:00 UTC.
  for (const keyId of keys) {
    await control.sql`
      insert into usage_hours (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
      select ${keyId}, hour, 1, 2, 3, 4, extract(hour from hour at time zone 'UTC')::int
      from generate_series('2026-02-14 00:00+00'::timestamptz, '2026-02-16 23:00+00', interval '1 hour') as hour`
  }
  const read = () => readUsageHours({ database, keyIds: keys, since: new Date(0) })
  expect(await read()).toHaveLength(2 * 3 * 24)
  expect(await sumUpOldHours({ database, usageHourDays: 32, now: NOW })).toBe(2 * 2 * 23)
  const hours = await read()
  const whole = { successful: 24, clientErrors: 48, rejected: 72, failed: 96, peakMinute: 23 }
  for (const keyId of keys) {
    const ofKey = hours.filter((each) => each.keyId === keyId)
    expect(ofKey.slice(0, 2)).toEqual([
      { keyId, hour: new Date('2026-02-14T00:00:00Z'), ...whole },
      { keyId, hour: new Date('2026-02-15T00:00:00Z'), ...whole },
    ])
    expect(ofKey.slice(2)).toHaveLength(24)
  }
  expect(await sumUpOldHours({ database, usageHourDays: 32, now: NOW })).toBe(0)
  expect(await read()).toEqual(hours)
})

test('if three nodes replace old hourly usage with daily sums at once, no usage is lost or counted twice', async () => {
  const { control, sums, expectSteps } = await createManyHours()
  const before = await sums()
  const nodes = [control.database, control.secondNode(), control.secondNode()]
  const deleted = await Promise.all(nodes.map((database) => sumUpOldHours({ database, usageHourDays: 32, now: NOW })))
  expect(deleted.reduce((sum, rows) => sum + rows, 0)).toBe(3 * KEYS * 23)
  expect(await sums()).toEqual(before)
  await expectSteps(DAYS_BY_STEP)
  const [{ rows }] = await control.sql<[{ rows: number }]>`select count(*)::int as rows from usage_hours`
  expect(rows).toBe(3 * KEYS)
})

testOnOneServer(
  'if PostgreSQL cancels one step of summing up hourly usage, the next run completes the rest, and the sums stay the same',
  async () => {
    const { control, sums, expectSteps } = await createManyHours()
    const { database } = control
    const before = await sums()
    const other = await transaction(control)
    // This row belongs to the second step.
    const [last] = await control.sql`select max(key_id::text)::uuid as key_id from usage_hours`
    await other`update usage_hours set failed = failed where hour = '2026-02-13 23:00+00' and key_id = ${last?.key_id}`
    const running = sumUpOldHours({ database: control.secondNode(), usageHourDays: 32, now: NOW })
    const rejected = expect(running).rejects.toMatchObject({ code: '57014' })
    const pid = await waitingSession(control)
    await control.sql`select pg_cancel_backend(${pid})`
    await rejected
    await expectSteps(DAYS_BY_STEP.slice(0, 1))
    expect(await sums()).toEqual(before)
    await other`rollback`
    await sumUpOldHours({ database, usageHourDays: 32, now: NOW })
    expect(await sums()).toEqual(before)
    await expectSteps(DAYS_BY_STEP)
  },
)

test('while one node sums up or deletes old hourly usage, another node skips this work', async () => {
  const { control, expectSteps } = await createManyHours()
  const { database } = control
  const other = await transaction(control)
  // The lock PAST_USAGE_LOCK of retention.ts.
  await other`select pg_advisory_xact_lock(7306003)`
  expect(await sumUpOldHours({ database, usageHourDays: 32, now: NOW })).toBe(0)
  const deleted = deleteOldUsage({ database, usageMonths: 1, requestLogHours: 72, now: NOW })
  // The run has skipped the hours, and waits to delete the usage of removed stores.
  await waitingSession(control)
  await other`rollback`
  expect(await deleted).toBe(0)
  await expectSteps([])
})

testOnOneServer(
  "if today's usage rows are locked, summing up and deleting old usage do not wait for the lock",
  async () => {
    const { control, expectSteps } = await createManyHours()
    const { database } = control
    await control.sql`
    insert into usage_hours (key_id, hour, successful) select distinct key_id, ${NOW.toISOString()}::text::timestamptz, 1
    from usage_hours`
    const recorder = await transaction(control)
    await recorder`
    insert into usage_hours as u (key_id, hour, successful) select distinct key_id, ${NOW.toISOString()}::text::timestamptz, 1
    from usage_hours on conflict (key_id, hour) do update set successful = u.successful + 1`
    await sumUpOldHours({ database, usageHourDays: 32, now: NOW })
    await expectSteps(DAYS_BY_STEP)
    expect(await deleteOldUsage({ database, usageMonths: 1, requestLogHours: 72, now: NOW })).toBe(3 * KEYS)
    await recorder`commit`
    const [left] = await control.sql`select count(*)::int as rows, sum(successful)::int as successful from usage_hours`
    expect(left).toEqual({ rows: KEYS, successful: 2 * KEYS })
  },
)

/** Begins a transaction on a separate connection. */
async function transaction({ url }: TestControl): Promise<Sql> {
  const sql = openClient(url)
  onTestFinished(() => sql.end())
  await sql`begin`
  return sql
}

/** Returns the process ID of a session that waits for a lock. */
async function waitingSession(control: TestControl): Promise<number> {
  for (;;) {
    const [session] = await control.sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    if (session !== undefined) return session.pid
  }
}

test('the cleanup deletes old request log lines in steps that each cover ten minutes, and waits while another node deletes usage', async () => {
  const control = await createControlDatabase()
  onTestFinished(() => control.drop())
  const { sql } = control
  // 30 days before NOW, the retention ends at 2026-02-18 15:30 UTC.
  await sql.unsafe(`
    insert into request_log (key_id, minute, endpoint, status, code, requests, rows, duration_ms, last_at)
    select md5(key::text)::uuid, '2026-02-18 15:33+00'::timestamptz - n * interval '1 minute', '/api/v1/orders', 200, '', 1, 1, 1, now()
    from generate_series(1, 28) n, generate_series(1, 7) key`)
  const expectSteps = await countSteps(control, 'request_log')
  const options = { database: control.database, usageMonths: 1200, requestLogHours: 720, now: NOW }
  const other = await transaction(control)
  await other`select pg_advisory_xact_lock(7306003)`
  const deleted = deleteOldUsage(options)
  await waitingSession(control)
  await other`rollback`
  expect(await deleted).toBe(7 * 25)
  await expectSteps([7 * 10, 7 * 10, 7 * 5])
  expect(await sql`select count(*)::int as rows from request_log`).toEqual([{ rows: 7 * 3 }])
})

test('while one node records full syncs and deletes all but 50 per key, the cleanup of another node completes', async () => {
  const { control, expectSteps } = await createManyHours()
  const store = await control.store()
  const { id: keyId } = await createKey({ ...control, storeId: store.id, name: 'k', createdBy: null })
  await control.sql`
    insert into request_log (key_id, minute, endpoint, status, code, requests, rows, duration_ms, last_at)
    select ${keyId}, ${NOW.toISOString()}::text::timestamptz - n * interval '1 day', '/', 200, '', 1, 1, 1, now()
    from generate_series(40, 60) n`
  let now = NOW.getTime()
  const failures: unknown[] = []
  const recorder = createUsageRecorder({
    database: control.secondNode(),
    now: () => now++,
    emit: (event) => failures.push(event),
    flushMs: 60_000,
    requestLogLines: 1000,
  })
  let isDone = false
  const recording = (async () => {
    onTestFinished(() => {
      isDone = true
    })
    while (!isDone) {
      for (let walk = 0; walk < 20; walk++)
        for (const begins of [true, false])
          recorder.record({
            ...{ keyId, endpoint: '/', status: 200, outcome: 'successful', code: null, reason: null, requestId: 'r' },
            ...{ rows: 1, durationMs: 1, minuteRequests: 1, walk: { begins, ends: !begins, filters: '' } },
          })
      await recorder.flush()
    }
  })()
  const deleted = await deleteOldUsage({ database: control.database, usageMonths: 13, requestLogHours: 72, now: NOW })
  await sumUpOldHours({ database: control.database, usageHourDays: 32, now: NOW })
  isDone = true
  await recording
  await recorder.close()
  expect(deleted).toBe(21)
  await expectSteps(DAYS_BY_STEP)
  expect(failures).toEqual([])
})

const KEYS = 500
/**
 * Number of rows that each step deletes of three days with 23 hours to delete for each key. A step deletes up to 10,000
 * rows, and all hours of a key.
 */
const DAYS_BY_STEP = [1, 2, 3].flatMap(() => [434 * 23, (KEYS - 434) * 23])

/**
 * Creates three days of hours, one of them without its first hour for some keys. `expectSteps` compares the
 * number of rows that each statement deleted.
 */
async function createManyHours() {
  const control = await createControlDatabase()
  onTestFinished(() => control.drop())
  const { sql } = control
  await sql.unsafe(`
    insert into usage_hours (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
    select key_id, hour, (random() * 9)::int, (random() * 9)::int, (random() * 9)::int, (random() * 9)::int, (random() * 9)::int
    from (select md5(key::text)::uuid as key_id from generate_series(1, ${KEYS}) as key) as keys,
      generate_series('2026-02-13 00:00+00'::timestamptz, '2026-02-15 23:00+00', interval '1 hour') as hour;
    delete from usage_hours where key_id < '20000000-0000-0000-0000-000000000000' and hour = '2026-02-14 00:00+00'`)
  const expectSteps = await countSteps(control, 'usage_hours')
  const sums = () => sql`
    select key_id, date_trunc('day', hour, 'UTC') as day, sum(successful), sum(client_errors), sum(rejected), sum(failed),
      max(peak_minute) from usage_hours group by 1, 2 order by 1, 2`
  return { control, sums, expectSteps }
}

/** Counts the rows that each statement deletes from a table. Returns a function that compares the numbers. */
async function countSteps(
  { sql }: TestControl,
  table: string,
): Promise<(expected: readonly number[]) => Promise<void>> {
  // Citus refuses triggers on distributed tables.
  if (inject('citusWorkers') !== undefined) return async () => undefined
  await sql.unsafe(`
    create table steps (id serial, rows int);
    create function count_rows() returns trigger language plpgsql as $$
      begin insert into steps (rows) select count(*) from gone having count(*) > 0; return null; end $$;
    create trigger count_rows after delete on ${table} referencing old table as gone
      for each statement execute function count_rows()`)
  return async (expected) => {
    const steps = await sql<{ rows: number }[]>`select rows from steps order by id`
    expect(steps.map(({ rows }) => rows)).toEqual(expected)
  }
}
