import { queryRows, sql } from '@store-export/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'
import { pollOpenTransactions, snapshotOf } from './open-transactions.ts'

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
})
afterAll(() => samples.drop())

test("[SYNC-1] a poll of open transactions returns the start of another session's transaction, but not of its own transaction", async () => {
  const [role] = await queryRows<{ name: string }>(samples.reader, sql`select current_user as name`)
  await samples.sql.unsafe(`grant pg_read_all_stats to "${role?.name}"`)
  // A session that is being opened has a transaction, too.
  await expect.poll(async () => (await pollOpenTransactions(samples.reader)).open).toEqual(new Map())
  await samples.sql`begin`
  const [row] = await samples.sql<[{ started: string }]>`
    select ((extract(epoch from now()) - 946684800) * 1000000)::int8::text as started`
  const { at, open } = await pollOpenTransactions(samples.reader)
  const starts = [...(open?.values() ?? [])].map(({ startedAt }) => startedAt)
  expect(starts).toEqual([BigInt(row.started)])
  expect(at).toBeGreaterThan(BigInt(row.started))
  await samples.sql`rollback`
  await expect.poll(async () => (await pollOpenTransactions(samples.reader)).open).toEqual(new Map())
})

test("[SYNC-1] if the role's extra_float_digits rounds database IDs to the same float, a poll still leaves out open transactions of other databases", async () => {
  // With the role's extra_float_digits, a float has one digit, so the numbers of both databases would be equal.
  const other = await createSamples()
  onTestFinished(() => other.drop())
  await other.sql`begin`
  await other.sql`select from pg_class`
  expect((await pollOpenTransactions(samples.reader)).open).toEqual(new Map())
  await other.sql`rollback`
})

test("[SYNC-1] if PostgreSQL hides the locks of the service's own session, the open transactions are reported as unknown, not as none", () => {
  const clock = { at: 837_000_000_000_000n, isStandby: false, pid: 7 }
  const own = { pid: 7, database: '1', user: '1', application: '', isAtWork: true, startedAt: null }
  expect(snapshotOf([[clock], [], [own], []])).toEqual({ at: clock.at, open: null })
})
