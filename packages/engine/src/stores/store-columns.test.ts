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
const ADDRESS = { storeId: 'a', databaseUrl: 'postgres://one', schemaName: 'public', encryptedPassword: null }

/** A column without an index. */
const NOT_INDEXED = { indexes: [], readsOtherTables: false }

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
  test('[R28] if a column has a domain type, the service reads the base type as the type of the column', async () => {
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    expect(Object.fromEntries(present.get('samples') ?? [])).toEqual({
      id: { notNull: true, type: 'uuid', indexes: ['id'], readsOtherTables: false },
      word: { notNull: false, type: 'text', ...NOT_INDEXED },
      n: { notNull: false, type: 'int4', ...NOT_INDEXED },
      deleted_at: { notNull: false, type: 'timestamptz', ...NOT_INDEXED },
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
  ])('if a table has the index %s, the indexes that can sort rows by deleted_at are %j', async (index, found) => {
    await samples.sql.unsafe(`create index tested on samples ${index}`)
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await samples.sql`drop index tested`
    expect(present.get('samples')?.get('deleted_at')?.indexes).toEqual(found)
  })

  test("if a resource's table is partitioned or a materialized view, the service finds its indexes", async () => {
    await samples.sql.unsafe(`alter table samples rename to base;
      create materialized view samples as select * from base; create index on samples (deleted_at, id)`)
    const ofView = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await samples.sql.unsafe(`drop materialized view samples; create table samples (like base) partition by range (id);
      create table part partition of samples default; create index on samples (deleted_at, id)`)
    const ofPartitions = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await samples.sql.unsafe('drop table samples; alter table base rename to samples')
    for (const present of [ofView, ofPartitions])
      expect(present.get('samples')?.get('deleted_at')?.indexes).toEqual(['deleted_at, id'])
  })

  test('if two stores have the same columns, StoreColumns caches one shared description of the columns', async () => {
    const columns = columnsAt({ now: 0 })
    const one = await columns.of(ADDRESS, samples.reader)
    const other = await columns.of({ ...ADDRESS, storeId: 'b' }, samples.reader)
    expect(other.tables).toBe(one.tables)
  })

  test('[GEN-2] if two stores in different schemas have the same columns, they share one cached description, but each has its own schema name', async () => {
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

  test('[GEN-2] if a store moves to another schema, the service reads the columns of the new schema', async () => {
    const columns = columnsAt({ now: 0 })
    await columns.of(ADDRESS, samples.reader)
    const moved = await columns.of({ ...ADDRESS, schemaName: 'elsewhere' }, samples.reader)
    expect([moved.schemaName, moved.size]).toEqual(['elsewhere', 0])
  })

  test('[R28] if a migration has locked a table, the service reads the columns of the table without waiting for the lock', async () => {
    await samples.sql`create index tested on samples (deleted_at)`
    const migration = samples.sql
    await migration.unsafe('begin; lock table samples in access exclusive mode')
    const present = await columnsAt({ now: 0 }).of(ADDRESS, samples.reader)
    await migration.unsafe('rollback; drop index tested')
    expect(present.get('samples')?.get('deleted_at')?.indexes).toEqual(['deleted_at'])
  })

  test('[R28] after the refresh interval, the service reads the columns again, and the event store.schema_changed names a dropped column', async () => {
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

  test("[R28] if the service can't read the type of a column, the service leaves out the column and emits store.schema_mismatched once", async () => {
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
      kind: 'type_mismatch',
    }
    expect(events.filter((each) => each.event === 'store.schema_mismatched' && each.kind === 'type_mismatch')).toEqual([
      mismatch,
    ])
    await samples.sql`alter table samples alter column n type integer using null`
  })

  test('if more than a thousand stores are read, the columns of the first store are dropped from the cache', async () => {
    const columns = columnsAt({ now: 0 })
    const first = columns.of(ADDRESS, samples.reader)
    const present = await first
    const emptyCatalog = { read: async () => undefined }
    // The test is about the size of the cache, so these stores have an empty catalog.
    for (let n = 0; n < 1000; n++)
      await columns.of({ ...ADDRESS, storeId: `store ${n}` }, emptyCatalog as unknown as typeof samples.reader)
    let reads = 0
    const counting = {
      read: (...values: Parameters<typeof samples.reader.read>) => {
        reads += 1
        return samples.reader.read(...values)
      },
    }
    for (let n = 0; n < 2; n++)
      expect(await columns.of(ADDRESS, counting as unknown as typeof samples.reader)).toEqual(present)
    expect(reads).toBe(1)
  })

  test('if more than 10,000 unreadable columns are reported, the column of the first store is reported again, and a later one is not', async () => {
    const clock = { now: 0 }
    const events: StoreEvent[] = []
    const columns = columnsAt(clock, events)
    const row = { table: 'samples', column: 'n', notNull: false, type: 'interval', readsOtherTables: false }
    // The test is about the number of stores, so one row stands for the catalog of each.
    const read = async ([request]: [{ sink: { rows: object[] } }]) => request.sink.rows.push(row)
    const readStore = (n: number) =>
      columns.of({ ...ADDRESS, storeId: `store ${n}` }, { read } as unknown as typeof samples.reader)
    const reported = () => events.filter((each) => each.event === 'store.schema_mismatched' && each.column === 'n')
    for (let n = 0; n <= 10_000; n++) await readStore(n)
    clock.now = 1000
    await readStore(1)
    expect(reported()).toHaveLength(10_001)
    await readStore(0)
    expect(reported().slice(10_001)).toMatchObject([{ storeId: 'store 0' }])
  })

  test('[ERR-3] if two requests share one read of columns and this read fails, the second request reads the columns on its own connection', async () => {
    const columns = columnsAt({ now: 0 })
    const cut = { read: () => Promise.reject(new Error('cut')) }
    // Only this lost connection is not a real one.
    const failing = columns.of(ADDRESS, cut as unknown as typeof samples.reader)
    const sharing = columns.of(ADDRESS, samples.reader)
    await expect(failing).rejects.toThrow('cut')
    expect((await sharing).has('samples')).toBe(true)
  })
})
