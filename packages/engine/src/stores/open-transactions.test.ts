import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/samples.ts'
import { lookAtTransactions } from './open-transactions.ts'

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
})
afterAll(() => samples.drop())

test('[SYNC-1] others’ transactions are seen with their start on the database’s clock, our own are not', async () => {
  const [role] = await samples.reader<[{ name: string }]>`select current_user as name`
  await samples.sql.unsafe(`grant pg_read_all_stats to "${role.name}"`)
  // a session that is only just connecting has one, too
  await expect.poll(async () => (await lookAtTransactions(samples.reader)).open).toEqual(new Map())
  await samples.sql`begin`
  const [row] = await samples.sql<[{ started: string }]>`
    select ((extract(epoch from now()) - 946684800) * 1000000)::int8::text as started`
  // under load others were met here, thrice, and nobody knows whose they were: a look keeps what it saw of sessions
  let sessions: unknown
  const unsafe = async (text: string) => {
    const answers = await samples.reader.unsafe(`${text}; select * from pg_stat_activity where datid is not null`)
    sessions = answers.at(-1)
    return answers
  }
  const { at, open } = await lookAtTransactions({ unsafe } as unknown as typeof samples.reader)
  const starts = [...(open?.values() ?? [])].map(({ startedAt }) => startedAt)
  expect(starts, JSON.stringify([[...(open ?? [])].map(String), sessions])).toEqual([BigInt(row.started)])
  expect(at).toBeGreaterThan(BigInt(row.started))
  await samples.sql`rollback`
  await expect.poll(async () => (await lookAtTransactions(samples.reader)).open).toEqual(new Map())
})

test('[SYNC-1] a server that does not show even our own lock shows nobody’s: nothing is taken for seen', async () => {
  // A server that only speaks like PostgreSQL: the one thing here that is no real one.
  const answers = [[{ at: '837000000000000', isStandby: false, pid: 7 }], [], [{ pid: 7, database: 1, user: 1 }], []]
  const other = Object.assign(() => undefined, { unsafe: async () => answers })
  const look = await lookAtTransactions(other as unknown as typeof samples.reader)
  expect(look).toEqual({ at: 837_000_000_000_000n, open: null })
})
