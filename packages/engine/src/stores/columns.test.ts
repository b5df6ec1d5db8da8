import { integer, resource, text, uuid } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/samples.ts'
import type { Observation } from '../observe.ts'
import { StoreColumns } from './columns.ts'

const things = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'Things.',
  removedColumn: 'deleted_at',
  fields: { id: uuid('Id'), word: text('A text'), n: integer('A number') },
})
const ADDRESS = { storeId: 'a', databaseUrl: 'postgres://one', sealedPassword: null }

/** A column without an index. */
const BARE = { isIndexed: false, isIndexedInCoalesce: false }

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql.unsafe(`create domain short as text; create type mood as enum ('sad');
    create table samples (id uuid primary key, word short, n integer, deleted_at timestamptz, stamp timestamptz, secret text)`)
})
afterAll(() => samples.drop())

function columnsAt(clock: { now: number }, observations: Observation[] = []) {
  return new StoreColumns({
    refreshSeconds: 1,
    observe: (observation) => observations.push(observation),
    now: () => clock.now,
    resources: [things],
  })
}

describe('columns of a store', () => {
  test('[R28] are those the contract names, with their types, a domain’s the one below it', async () => {
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    expect(Object.fromEntries(present.get('samples') ?? [])).toEqual({
      id: { notNull: true, type: 'uuid', isIndexed: true, isIndexedInCoalesce: false },
      word: { notNull: false, type: 'text', ...BARE },
      n: { notNull: false, type: 'int4', ...BARE },
      deleted_at: { notNull: false, type: 'timestamptz', ...BARE },
    })
  })

  test.each([
    ['(deleted_at, id)', { isIndexed: true }],
    ['(coalesce(deleted_at, stamp), id)', { isIndexedInCoalesce: true }],
    ['(coalesce(stamp, deleted_at), id)', {}],
    ['(id, deleted_at)', {}],
    ['(deleted_at) where n > 1', {}],
    ['using hash (deleted_at)', {}],
    ['using brin (deleted_at)', {}],
  ])('an index %s counts as far as it serves a range of the column', async (index, found) => {
    await samples.sql.unsafe(`create index sought on samples ${index}`)
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    expect(present.get('samples')?.get('deleted_at')).toMatchObject({ ...BARE, ...found })
    await samples.sql`drop index sought`
  })

  test('[R28] are read while a migration holds the table, for the sake of all others', async () => {
    await samples.sql`create index sought on samples ((coalesce(deleted_at, stamp)))`
    const migration = samples.sql
    await migration.unsafe('begin; lock table samples in access exclusive mode')
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await migration.unsafe('rollback; drop index sought')
    expect(present.get('samples')?.get('deleted_at')?.isIndexedInCoalesce).toBe(true)
  })

  test('[R28] are read again after the setting’s time, and what changed is told', async () => {
    const clock = { now: 0 }
    const observations: Observation[] = []
    const columns = columnsAt(clock, observations)
    await columns.of(ADDRESS, samples.reader)
    await samples.sql`alter table samples drop column n`
    clock.now = 999
    expect((await columns.of(ADDRESS, samples.reader)).get('samples')?.has('n')).toBe(true)
    clock.now = 1000
    expect((await columns.of(ADDRESS, samples.reader)).get('samples')?.has('n')).toBe(false)
    await samples.sql`alter table samples add column n integer`
    columns.forget('a')
    expect((await columns.of(ADDRESS, samples.reader)).get('samples')?.has('n')).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(observations).toContainEqual({ event: 'schema changed', storeId: 'a', added: [], removed: ['samples.n'] })
  })

  test('[R28] one of a type that no value of its field can have counts as absent, and is told once', async () => {
    await samples.sql`alter table samples alter column n type interval using null`
    const clock = { now: 0 }
    const observations: Observation[] = []
    const columns = columnsAt(clock, observations)
    for (; clock.now < 5000; clock.now += 1000)
      expect((await columns.of(ADDRESS, samples.reader)).get('samples')?.has('n')).toBe(false)
    const surprise = { event: 'schema surprise', storeId: 'a', table: 'samples', column: 'n', kind: 'other type' }
    expect(observations.filter((each) => each.event === 'schema surprise' && each.kind === 'other type')).toEqual([
      surprise,
    ])
    await samples.sql`alter table samples alter column n type integer using null`
  })

  test('of many stores are forgotten by least use: what is kept does not grow with every store that was ever read', async () => {
    const columns = columnsAt({ now: 0 })
    const first = columns.of(ADDRESS, samples.reader)
    const present = await first
    const answered = Object.assign(() => undefined, { unsafe: async () => [] })
    // Only how many are kept is looked at: a thousand catalogs would say no more than none.
    for (let n = 0; n < 1000; n++)
      await columns.of({ ...ADDRESS, storeId: `store ${n}` }, answered as unknown as typeof samples.reader)
    const again = columns.of(ADDRESS, samples.reader)
    expect(await again).toEqual(present)
    expect(await again).not.toBe(present)
    expect(await columns.of(ADDRESS, samples.reader)).toBe(await again)
  })

  test('[ERR-3] a reading that fails is not kept, and fails nobody with a connection of his own', async () => {
    const columns = columnsAt({ now: 0 })
    const cut = Object.assign(() => undefined, { unsafe: () => Promise.reject(new Error('cut')) })
    // A connection that is lost: the one thing here that is no real one.
    const failing = columns.of(ADDRESS, cut as unknown as typeof samples.reader)
    const sharing = columns.of(ADDRESS, samples.reader)
    await expect(failing).rejects.toThrow('cut')
    expect((await sharing).has('samples')).toBe(true)
  })
})
