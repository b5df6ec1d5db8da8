import { integer, resource, text, uuid } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSamples, type Samples } from '../../test/support/samples.ts'
import { identifier } from '../query/literal.ts'
import type { StoreEvent } from '../store-event.ts'
import { StoreColumns } from './store-columns.ts'

const things = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'Things.',
  removedColumn: 'deleted_at',
  fields: { id: uuid('Id'), word: text('A text'), n: integer('A number') },
})
const ADDRESS = { storeId: 'a', databaseUrl: 'postgres://one', schemaName: 'public', sealedPassword: null }

/** A column without an index. */
const BARE = { indexes: [], readsOtherTables: false }

let samples: Samples

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql.unsafe(`create domain short as text; create type mood as enum ('sad');
    create table samples (id uuid primary key, word short, n integer, deleted_at timestamptz, stamp timestamptz, secret text)`)
})
afterAll(() => samples.drop())

function columnsAt(clock: { now: number }, events: StoreEvent[] = []) {
  return new StoreColumns({
    refreshSeconds: 1,
    emit: (event) => events.push(event),
    now: () => clock.now,
    resources: [things],
  })
}

describe('columns of a store', () => {
  test('[R28] are those the contract names, with their types, a domain’s the one below it', async () => {
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    expect(Object.fromEntries(present.get('samples') ?? [])).toEqual({
      id: { notNull: true, type: 'uuid', indexes: ['id'], readsOtherTables: false },
      word: { notNull: false, type: 'text', ...BARE },
      n: { notNull: false, type: 'int4', ...BARE },
      deleted_at: { notNull: false, type: 'timestamptz', ...BARE },
    })
  })

  test.each([
    ['(deleted_at, id, n, word)', ['deleted_at, id, n']],
    ['(deleted_at desc, id desc)', ['deleted_at, id']],
    ['(deleted_at, id) include (n)', ['deleted_at, id']],
    ['(deleted_at, id desc, n)', ['deleted_at']],
    ['(deleted_at, (n + 1), id)', ['deleted_at']],
    ['((coalesce(deleted_at, stamp)), stamp, id)', []],
    ['(deleted_at desc nulls last, id)', []],
    ['(deleted_at nulls first, id)', []],
    ['(id, deleted_at)', []],
    ['(deleted_at) where n > 1', []],
    ['using hash (deleted_at)', []],
    ['using brin (deleted_at)', []],
  ])('of an index %s the keys are known by which a list could be read', async (index, found) => {
    await samples.sql.unsafe(`create index sought on samples ${index}`)
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await samples.sql`drop index sought`
    expect(present.get('samples')?.get('deleted_at')?.indexes).toEqual(found)
  })

  test('of a materialized view are known with its indexes, of a partitioned table too', async () => {
    await samples.sql.unsafe(`alter table samples rename to kept;
      create materialized view samples as select * from kept; create index on samples (deleted_at, id)`)
    const seen = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await samples.sql.unsafe(`drop materialized view samples; create table samples (like kept) partition by range (id);
      create table part partition of samples default; create index on samples (deleted_at, id)`)
    const parted = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await samples.sql.unsafe('drop table samples; alter table kept rename to samples')
    for (const present of [seen, parted])
      expect(present.get('samples')?.get('deleted_at')?.indexes).toEqual(['deleted_at, id'])
  })

  test('that are the same in two stores are kept once', async () => {
    const columns = columnsAt({ now: 0 })
    const one = await columns.of(ADDRESS, samples.reader)
    const other = await columns.of({ ...ADDRESS, storeId: 'b' }, samples.reader)
    expect(other.tables).toBe(one.tables)
  })

  test('[GEN-2] equal ones of two schemas are kept once, each with its own schema, whatever its name is', async () => {
    const name = `we"ird 'schema\\ ü ${'x'.repeat(40)}`
    await samples.sql.unsafe(`create schema ${identifier(name)}; grant usage on schema ${identifier(name)} to public;
      create table ${identifier(name)}.samples (id uuid primary key, word short, n integer, deleted_at timestamptz, stamp timestamptz,
        secret text);
      grant select on ${identifier(name)}.samples to public`)
    const columns = columnsAt({ now: 0 })
    const one = await columns.of(ADDRESS, samples.reader)
    const other = await columns.of({ ...ADDRESS, storeId: 'b', schemaName: name }, samples.reader)
    await samples.sql.unsafe(`drop schema ${identifier(name)} cascade`)
    expect([one.schemaName, other.schemaName]).toEqual(['public', name])
    expect(other.get('samples')?.size).toBe(4)
    expect(other.tables).toBe(one.tables)
  })

  test('[GEN-2] those of another schema are read again when the store moves to it', async () => {
    const columns = columnsAt({ now: 0 })
    await columns.of(ADDRESS, samples.reader)
    const moved = await columns.of({ ...ADDRESS, schemaName: 'elsewhere' }, samples.reader)
    expect([moved.schemaName, moved.size]).toEqual(['elsewhere', 0])
  })

  test('[R28] are read while a migration holds the table, for the sake of all others', async () => {
    await samples.sql`create index sought on samples (deleted_at)`
    const migration = samples.sql
    await migration.unsafe('begin; lock table samples in access exclusive mode')
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await migration.unsafe('rollback; drop index sought')
    expect(present.get('samples')?.get('deleted_at')?.indexes).toEqual(['deleted_at'])
  })

  test('[R28] are read again after the setting’s time, and what changed is told', async () => {
    const clock = { now: 0 }
    const events: StoreEvent[] = []
    const columns = columnsAt(clock, events)
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
    expect(events).toContainEqual({ event: 'store.schema_changed', storeId: 'a', added: [], removed: ['samples.n'] })
  })

  test('[R28] one of a type that no value of its field can have counts as absent, and is told once', async () => {
    await samples.sql`alter table samples alter column n type interval using null`
    const clock = { now: 0 }
    const events: StoreEvent[] = []
    const columns = columnsAt(clock, events)
    for (; clock.now < 5000; clock.now += 1000)
      expect((await columns.of(ADDRESS, samples.reader)).get('samples')?.has('n')).toBe(false)
    const mismatch = {
      event: 'store.schema_mismatched',
      storeId: 'a',
      table: 'samples',
      column: 'n',
      kind: 'other type',
    }
    expect(events.filter((each) => each.event === 'store.schema_mismatched' && each.kind === 'other type')).toEqual([
      mismatch,
    ])
    await samples.sql`alter table samples alter column n type integer using null`
  })

  test('of many stores are forgotten by least use: what is kept does not grow with every store that was ever read', async () => {
    const columns = columnsAt({ now: 0 })
    const first = columns.of(ADDRESS, samples.reader)
    const present = await first
    const answered = { read: async () => undefined }
    // Only how many are kept is looked at: a thousand catalogs would say no more than none.
    for (let n = 0; n < 1000; n++)
      await columns.of({ ...ADDRESS, storeId: `store ${n}` }, answered as unknown as typeof samples.reader)
    let asked = 0
    const counting = {
      read: (...values: Parameters<typeof samples.reader.read>) => {
        asked += 1
        return samples.reader.read(...values)
      },
    }
    for (let n = 0; n < 2; n++)
      expect(await columns.of(ADDRESS, counting as unknown as typeof samples.reader)).toEqual(present)
    expect(asked).toBe(1)
  })

  test('[ERR-3] a reading that fails is not kept, and fails nobody with a connection of his own', async () => {
    const columns = columnsAt({ now: 0 })
    const cut = { read: () => Promise.reject(new Error('cut')) }
    // A connection that is lost: the one thing here that is no real one.
    const failing = columns.of(ADDRESS, cut as unknown as typeof samples.reader)
    const sharing = columns.of(ADDRESS, samples.reader)
    await expect(failing).rejects.toThrow('cut')
    expect((await sharing).has('samples')).toBe(true)
  })
})
