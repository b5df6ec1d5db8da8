// The pages for readers of a copy: every block of SQL in docs/sync/guides is run as it stands there, against copies of one store.
// What it answers is compared with what was counted from the store's own rows; what it changes, with what the page says.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnswerRow, answersOf } from './support/docs-answers.ts'
import { docsBlocks, normal } from './support/docs-blocks.ts'
import { type DocsCopies, makeDocsCopies } from './support/docs-copies.ts'

const ENGINES = ['sqlite', 'postgres'] as const

let copies: DocsCopies
beforeAll(async () => {
  copies = await makeDocsCopies()
  for (const engine of ENGINES) await copies.say(engine, 'power-bi/sales')
}, 60_000)
afterAll(() => copies.close())

const sorted = (rows: readonly AnswerRow[]) => rows.map((row) => row.map(normal)).toSorted(byText)
const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
const firstOf = (rows: readonly AnswerRow[]) => rows.map(([cell]) => String(cell)).toSorted()
const inStore = async (text: string) => copies.store.sql.unsafe(text)

/** The block's answer, the same of both engines; its rows in an order of our own. */
async function agreed(title: string, values?: readonly string[]): Promise<AnswerRow[]> {
  const [inSqlite = [], inPostgres = []] = await Promise.all(ENGINES.map((each) => copies.say(each, title, values)))
  expect(sorted(inSqlite)).toEqual(sorted(inPostgres))
  return sorted(inSqlite)
}

describe('what the pages ask is answered as counted from the store’s own rows, to the cent', () => {
  const titles = docsBlocks().map(({ engine, page, name }) => ({ engine, title: `${page}/${name}` }))
  test.each(titles.filter(({ title }) => title in answersOf({})))('$title in $engine', async ({ engine, title }) => {
    expect(sorted(await copies.say(engine, title))).toEqual(sorted(answersOf(copies.shop)[title] ?? []))
  })

  test('each order of the list to book from adds up to zero', async () => {
    const sums = Map.groupBy(await copies.say('postgres', 'accounting/journal'), ([, order]) => order)
    for (const entries of sums.values()) {
      const sum = entries.reduce((added, entry) => added + Math.round(Number(entry.at(-1)) * 100), 0)
      expect(sum).toBe(0)
    }
    expect(sums.size).toBeGreaterThan(20)
  })
})

test('the role for dashboards reads what there is and what will be, and writes nothing', async () => {
  const ask = (text: string) => copies.ask('postgres', text)
  await copies.say('postgres', 'power-bi/reader')
  try {
    await ask('create table store_export.of_a_later_version (id int)')
    await ask('set role shop_reader')
    expect(await ask('select count(*) > 0 from reports.sales, store_export.order_lines')).toEqual([['t']])
    await ask('select * from store_export.of_a_later_version')
    await expect(ask('delete from store_export.orders')).rejects.toThrow('permission denied')
  } finally {
    await ask('reset role')
    await ask('drop table store_export.of_a_later_version; drop owned by shop_reader; drop role shop_reader')
  }
})

test('a refund is booked once, in full, also when it grows or is taken back', async () => {
  await agreed('accounting/refunds-table')
  const refunded = (copies.shop.orders ?? []).filter(({ refund_amount }) => refund_amount != null)
  const booked = refunded.map(({ id, refund_amount }) => [String(id), String(refund_amount)])
  expect(await agreed('accounting/refunds-book')).toEqual(sorted(booked))
  const [grown = '', back = ''] = firstOf(booked)
  const [fresh] = (copies.shop.orders ?? []).filter(({ refund_amount }) => refund_amount == null)
  await inStore(`update orders set refund_amount = refund_amount + 5.01 where id = '${grown}'`)
  await inStore(`update orders set refund_amount = null where id = '${back}'`)
  await inStore(`update orders set refund_amount = 0.30 where id = '${fresh?.id}'`)
  await copies.sync()
  const taken = `-${booked.find(([id]) => id === back)?.[1]}`
  const expected = [
    [grown, '5.01'],
    [back, taken],
    [String(fresh?.id), '0.30'],
  ]
  expect(await agreed('accounting/refunds-book')).toEqual(sorted(expected))
  expect(await agreed('accounting/refunds-book')).toEqual([])
})

test('a month can be closed only with a copy that is later than its end', async () => {
  const before = Date.now() - 600_000
  for (const engine of ENGINES) {
    const [[since] = []] = await copies.say(engine, 'accounting/as-of')
    expect(Date.parse(String(since))).toBeGreaterThan(before)
  }
})

describe('an import into an ERP', () => {
  /** Ids of the orders that each engine's import sent, all of them noted. */
  async function send(): Promise<string[]> {
    const sent: string[][] = []
    for (const engine of ENGINES) {
      const ids: string[] = []
      for (;;) {
        const rows = await copies.say(engine, 'erp/to-send')
        await copies.ask(engine, 'begin;')
        for (const [id, updatedAt] of rows) await copies.say(engine, 'erp/mark-sent', [String(id), String(updatedAt)])
        await copies.ask(engine, 'commit;')
        ids.push(...firstOf(rows))
        if (rows.length === 0) break
      }
      sent.push(ids.toSorted())
    }
    expect(sent[0]).toEqual(sent[1])
    return sent[0] ?? []
  }

  test('takes every order once, then those that changed, be it in a line or back in time', async () => {
    await agreed('erp/sent-table')
    const ids = (copies.shop.orders ?? []).map(({ id }) => String(id)).toSorted()
    expect(await send()).toEqual(ids)
    expect(await send()).toEqual([])
    const [byLine, back] = ids
    await inStore(`update order_items set quantity = quantity + 1 where order_id = '${byLine}'`)
    await inStore(`update orders set updated_at = '2020-01-01' where id = '${back}'`)
    await copies.sync(true)
    expect(await send()).toEqual([byLine, back])
  })

  test('gets an order with its place, and its lines with their SKUs', async () => {
    const { orders = [], order_items: items = [], products = [], product_variants: variants = [] } = copies.shop
    const order = orders[7]
    const address = JSON.parse(String(order?.shipping_address))
    await inStore(`update orders set status = 'shipped', refund_amount = 1 where id = '${order?.id}'`)
    await copies.sync()
    const [row = []] = await copies.say('sqlite', 'erp/to-send')
    expect(row).toEqual(expect.arrayContaining([String(order?.id), 'shipped', address.city, address.postalCode]))
    await send()
    const lines = items.filter(({ order_id }) => order_id === order?.id)
    const skuOf = ({ product_id, variant_id }: (typeof lines)[number]) =>
      [...variants, ...products].find(({ id }) => id === (variant_id ?? product_id))?.sku
    const answer = await agreed('erp/lines', [String(order?.id)])
    expect(answer.map(([id, sku]) => [id, sku])).toEqual(
      sorted(lines.map((line) => [String(line.id), String(skuOf(line))])),
    )
  })

  test('hears of a deleted order after a full run, and not before', async () => {
    const [gone = ''] = firstOf((copies.shop.orders ?? []).slice(20, 21).map(({ id }) => [String(id)]))
    await inStore(`delete from orders where id = '${gone}'`)
    await copies.sync()
    expect(await agreed('erp/gone')).toEqual([])
    await copies.sync(true)
    expect(await agreed('erp/gone')).toEqual([[gone]])
  })

  test('may have a queue instead, in which there is what changed and nothing else', async () => {
    const queued = () => copies.ask('postgres', 'select order_id, change from erp.queue order by 1')
    await copies.say('postgres', 'erp/queue')
    await copies.sync(true)
    expect(await queued()).toEqual([])
    const [changed, deleted] = (copies.shop.orders ?? []).slice(30, 32).map(({ id }) => String(id))
    await inStore(`update order_items set quantity = 9 where order_id = '${changed}'`)
    await inStore(`delete from orders where id = '${deleted}'`)
    await copies.sync(true)
    const entries = await queued()
    expect(firstOf(entries)).toEqual([changed, deleted].toSorted())
    const [[id, change] = []] = entries
    await copies.say('postgres', 'erp/queue-done', [String(id), '0'])
    expect(await queued()).toHaveLength(2)
    await copies.say('postgres', 'erp/queue-done', [String(id), String(change)])
    expect(await queued()).toHaveLength(1)
  })
})

test('a deleted customer leaves the rows with a full run, the orders when the store changes them, and then the file', async () => {
  const orderOf = (customer: unknown) => copies.shop.orders?.filter(({ customer_id }) => customer_id === customer) ?? []
  const addressesOf = (customer: unknown) =>
    copies.shop.customer_addresses?.filter((row) => row.customer_id === customer && row.deleted_at == null) ?? []
  // none whose orders the tests above have deleted
  const isTouched = (row: unknown) => copies.shop.orders?.slice(0, 50).some((order) => order === row)
  const person = copies.shop.customers?.find(
    ({ id }) => orderOf(id).length > 2 && !orderOf(id).some(isTouched) && addressesOf(id).length > 0,
  )
  const [id, email] = [String(person?.id), String(person?.email)]
  const lastFull = async () => {
    const answers = await Promise.all(ENGINES.map((engine) => copies.say(engine, 'erasure/last-full')))
    return answers.flat().map(([, at]) => String(at))
  }
  const places = async () => (await agreed('erasure/person', [email.toUpperCase(), id])).map(([place]) => place)
  const orders = orderOf(id).map(() => 'orders')
  const addresses = addressesOf(id).map(() => 'customer_addresses')
  expect(await places()).toEqual([...addresses, 'customers', ...orders])
  await inStore(`delete from customers where id = '${id}'`)
  await copies.sync()
  expect(await places()).toEqual([...addresses, 'customers', ...orders])
  const before = await lastFull()
  await copies.sync(true)
  for (const [index, at] of (await lastFull()).entries()) expect(at > (before[index] ?? '')).toBe(true)
  expect(await places()).toEqual(orders)
  expect((await agreed('erasure/orders-of-nobody')).map(([order]) => order)).toEqual(
    orderOf(id)
      .map((order) => String(order.id))
      .toSorted(),
  )
  const blank = `email = 'erased@example.com', customer_id = null, shipping_address = null, billing_address = null`
  await inStore(`update orders set ${blank} where customer_id = '${id}'`)
  await copies.sync()
  expect(await places()).toEqual([])
  await agreed('erasure/vacuum')
  expect((await readFile('shop.db')).includes(email)).toBe(false)
  await expect(readFile('shop.db-wal'), 'no log is left beside it').rejects.toThrow('ENOENT')
})

test('an address that the store has removed leaves with a full run, and not before', async () => {
  const [address] = (copies.shop.customer_addresses ?? []).filter(({ deleted_at }) => deleted_at == null).slice(-1)
  const kept = () => copies.ask('sqlite', `select count(*) from customer_addresses where id = '${address?.id}'`)
  await inStore(`update customer_addresses set deleted_at = now() where id = '${address?.id}'`)
  await copies.sync()
  expect(await kept()).toEqual([['1']])
  await copies.sync(true)
  expect(await kept()).toEqual([['0']])
})

test('nothing in the pages is left untried', () => {
  expect(copies.unasked()).toEqual([])
})
