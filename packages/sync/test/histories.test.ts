// Random stores, and random writes before, between and during runs; then quiet, and one more run: the copy is the store.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreExportClient } from '@store-export/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { run, SqliteCopy } from '../src/index.ts'

const HISTORIES = 40

let platform: TestPlatform
let store: TestStore
let folder: string
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await platform.close()
})

/** Numbers that are the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Write = (random: (below: number) => number) => Promise<unknown>

const addOrders: Write = (random) => store.sql`
  with made as (
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 1, 0, 0, ${random(1000)}::int / 100.0, now(), now()
    from generate_series(1, ${random(30)}::int) returning id
  )
  insert into order_items (id, order_id, product_id, name, price, quantity, created_at)
  select gen_random_uuid(), id, gen_random_uuid(), 'line ' || n, 1, n, now() from made, generate_series(0, ${random(3)}::int) n`

const changeOrders: Write = (random) => store.sql`
  with changed as (
    update orders set status = 'shipped', total = total + 1, updated_at = now()
    where id in (select id from orders order by md5(id::text || ${random(1000)}::text) limit ${random(10)}::int) returning id
  ), gone as (
    delete from order_items where order_id in (select id from changed) and quantity = 1
  )
  insert into order_items (id, order_id, product_id, name, price, quantity, created_at)
  select gen_random_uuid(), id, gen_random_uuid(), 'new line', 2, 9, now() from changed`

const addCustomers: Write = (random) => store.sql`
  insert into customers (id, email, name, created_at, updated_at)
  select gen_random_uuid(), 'c' || gen_random_uuid() || '@example.com', 'n' || n, now(), now() from generate_series(1, ${random(20)}::int) n`

const changeCustomers: Write = (random) => store.sql`
  update customers set name = 'changed ' || ${random(1000)}::text, updated_at = now()
  where id in (select id from customers order by md5(id::text || ${random(1000)}::text) limit ${random(8)}::int)`

const deleteOrders: Write = (random) => store.sql`
  with gone as (select id from orders order by md5(id::text || ${random(1000)}::text) limit ${random(4)}::int), lines as (
    delete from order_items where order_id in (select id from gone)
  )
  delete from orders where id in (select id from gone)`

const CHANGES = [addOrders, changeOrders, addCustomers, changeCustomers]

const COMPARED = {
  orders: 'select id::text, status, round(total, 2)::text as total from orders order by id::text',
  order_items: 'select id::text, order_id::text, name, quantity::text from order_items order by id::text',
  customers: 'select id::text, email, name from customers order by id::text',
}

async function compare(file: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  for (const [table, query] of Object.entries(COMPARED)) {
    const columns = Object.keys((await store.sql.unsafe(`${query} limit 1`))[0] ?? { id: '' }).join(', ')
    const source = [...(await store.sql.unsafe(query))].map((row) => JSON.stringify({ ...row }))
    const copy = database.prepare(`select ${columns} from ${table} order by id`).all()
    const texts = copy.map((row) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)])),
      ),
    )
    expect(texts, table).toEqual(source)
  }
  database.close()
}

test.each(Array.from({ length: HISTORIES }, (_, seed) => seed))('[SYNC-2, SYNC-3] history %i', async (seed) => {
  const random = randomOf(seed)
  const file = path.join(folder, `${seed}.db`)
  const client = new StoreExportClient({ url: platform.service.url, key: store.key })
  const sync = (isFull = false) => run({ client, copy: new SqliteCopy(file), isFull })
  const write = async () => {
    for (let count = random(4); count > 0; count -= 1) await CHANGES[random(CHANGES.length)]?.(random)
  }
  for (let round = 1 + random(3); round > 0; round -= 1) {
    await write()
    // writes while the run reads
    await Promise.all([sync(), write()])
  }
  await sync()
  await compare(file)
  await deleteOrders(random)
  await sync(true)
  await compare(file)
})
