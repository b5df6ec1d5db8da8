// Runs every SQL block of docs/sync/guides against copies of one store. Compares its results with rows that the
// test computes from the store, or its changes with what the page says.

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personalColumns } from '../src/mcp/visible-columns.ts'
import { type BlockValues, docsBlocks, normal } from './support/docs-blocks.ts'
import { createDocsCopies, type DocsCopies } from './support/docs-copies.ts'
import { expectedRows, type ResultRow } from './support/docs-expected-rows.ts'
import { saleOf } from './support/docs-sales.ts'

const ENGINES = ['sqlite', 'postgres'] as const

let copies: DocsCopies
beforeAll(async () => {
  copies = await createDocsCopies()
  for (const engine of ENGINES) await copies.runBlock(engine, 'sql/sales')
}, 60_000)
afterAll(() => copies.close())

const sorted = (rows: readonly ResultRow[]) => rows.map((row) => row.map(normal)).toSorted(byText)
const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
const firstOf = (rows: readonly ResultRow[]) => rows.map(([cell]) => String(cell)).toSorted()
const inStore = async (text: string) => copies.store.sql.unsafe(text)

/** Runs a block in both engines, checks that the results are equal, and returns them sorted. */
async function runInBoth(title: string, values?: BlockValues): Promise<ResultRow[]> {
  return compareEngines((engine) => copies.runBlock(engine, title, values))
}

async function compareEngines(query: (engine: string) => Promise<ResultRow[]>): Promise<ResultRow[]> {
  const [inSqlite = [], inPostgres = []] = await Promise.all(ENGINES.map(query))
  expect(sorted(inSqlite)).toEqual(sorted(inPostgres))
  return sorted(inSqlite)
}

describe('queries of the guides', () => {
  const titles = docsBlocks().map(({ engine, page, name }) => ({ engine, title: `${page}/${name}` }))
  test.each(titles.filter(({ title }) => title in expectedRows({})))(
    "in $engine, the guides' query $title returns the rows that the test computes from the store",
    async ({ engine, title }) => {
      expect(sorted(await copies.runBlock(engine, title))).toEqual(sorted(expectedRows(copies.shop)[title] ?? []))
    },
  )

  test("in the result of the accounting guide's journal query, the entries of each order add up to zero", async () => {
    const sums = Map.groupBy(await copies.runBlock('postgres', 'accounting/journal'), ([, order]) => order)
    for (const entries of sums.values()) {
      const sum = entries.reduce((added, entry) => added + Math.round(Number(entry.at(-1)) * 100), 0)
      expect(sum).toBe(0)
    }
    expect(sums.size).toBeGreaterThan(20)
  })
})

test("the database role from the Power BI guide can read current and future tables of the copy, but can't delete rows", async () => {
  const query = (text: string) => copies.query('postgres', text)
  await copies.runBlock('postgres', 'power-bi/reader')
  try {
    await query('create table store_export.of_a_later_version (id int)')
    await query('set role shop_reader')
    expect(await query('select count(*) > 0 from reports.sales, store_export.order_lines')).toEqual([['t']])
    await query('select * from store_export.of_a_later_version')
    await expect(query('delete from store_export.orders')).rejects.toThrow('permission denied')
  } finally {
    await query('reset role')
    await query('drop table store_export.of_a_later_version; drop owned by shop_reader; drop role shop_reader')
  }
})

describe('the refunds of the accounting guide', () => {
  beforeAll(async () => void (await runInBoth('accounting/refunds-table')))

  test("if a booked refund changes or is canceled, the accounting guide's query books only the difference", async () => {
    const sales = (copies.shop.orders ?? []).map((row) => saleOf(copies.shop, row)).filter(({ isSale }) => isSale)
    const refunded = sales.map(({ row }) => row).filter(({ refund_amount }) => refund_amount != null)
    const booked = refunded.map(({ id, refund_amount }) => [String(id), String(refund_amount)])
    expect(await runInBoth('accounting/refunds-book')).toEqual(sorted(booked))
    const [grown = '', back = ''] = firstOf(booked)
    const fresh = sales.find(({ row }) => row.refund_amount == null)
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
    expect(await runInBoth('accounting/refunds-book')).toEqual(sorted(expected))
    expect(await runInBoth('accounting/refunds-book')).toEqual([])
  })

  test("if an order is canceled or deleted, the accounting guide's queries remove both its sale and its booked refund", async () => {
    await runInBoth('accounting/refunds-book')
    const [refundedFirst, canceledFirst, canceled, deleted, unsold] = Array.from({ length: 5 }, () => randomUUID())
    const ids = [refundedFirst, canceledFirst, canceled, deleted, unsold]
    const set = (id: string | undefined, values: string) =>
      inStore(`update orders set updated_at = now(), ${values} where id = '${id}'`)
    /** Closes the month again. Returns the new refunds, and for each order its sale minus all booked refunds. */
    const close = async () => {
      await copies.sync(true)
      const booked = await runInBoth('accounting/refunds-book')
      expect(await runInBoth('accounting/refunds-book')).toEqual([])
      const journal = await runInBoth('accounting/journal')
      const refunds = await compareEngines((engine) =>
        copies.query(
          engine,
          `select order_id, ${engine === 'sqlite' ? 'refund_cents' : 'refund'} from books.refunds_booked`,
        ),
      )
      const sumOf = (rows: readonly ResultRow[], id: string | undefined) =>
        rows.reduce((sum, row) => (row.includes(id ?? null) ? sum + Number(row.at(-1)) : sum), 0)
      const sold = journal.filter((row) => row.includes('receivables'))
      return { booked, net: ids.map((id) => sumOf(sold, id) - sumOf(refunds, id)) }
    }
    for (const id of ids)
      await inStore(`insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
        values ('${id}', 'a@example.com', 'paid', 10, 0, 0, 10, '2026-09-15T12:00:00Z', now())`)
    await set(unsold, `status = 'cancelled', refund_amount = 10`)
    for (const id of [refundedFirst, deleted]) await set(id, `refund_amount = 10`)
    expect(await close()).toEqual({
      booked: sorted([refundedFirst, deleted].map((id) => [String(id), '10'])),
      net: [0, 10, 10, 0, 0],
    })
    await set(refundedFirst, `status = 'cancelled'`)
    await set(canceledFirst, `status = 'cancelled', refund_amount = 10`)
    await set(canceled, `status = 'cancelled'`)
    await inStore(`delete from orders where id = '${deleted}'`)
    expect(await close()).toEqual({
      booked: sorted([refundedFirst, deleted].map((id) => [String(id), '-10'])),
      net: [0, 0, 0, 0, 0],
    })
    await set(refundedFirst, `status = 'refunded'`)
    expect(await close()).toEqual({ booked: [[refundedFirst, '10']], net: [0, 0, 0, 0, 0] })
    await inStore(`delete from orders where id in (${ids.map((id) => `'${id}'`).join()})`)
    await copies.sync(true)
  })
})

test("after a sync, the accounting guide's query for closing a month returns a sync time within the last ten minutes", async () => {
  const before = Date.now() - 600_000
  for (const engine of ENGINES) {
    const [[since] = []] = await copies.runBlock(engine, 'accounting/as-of')
    expect(Date.parse(String(since))).toBeGreaterThan(before)
  }
})

describe('the guide for an ERP import', () => {
  /** Runs the import in each engine and returns the IDs of the sent orders. The ERP rejects those of `rejected`. */
  async function send(rejected: readonly string[] = []): Promise<string[]> {
    const sent: string[][] = []
    for (const engine of ENGINES) {
      const ids: string[] = []
      for (;;) {
        const rows = await copies.runBlock(engine, 'erp/to-send')
        await copies.query(engine, 'begin;')
        for (const [id, updatedAt] of rows) await record(engine, String(id), String(updatedAt), rejected)
        await copies.query(engine, 'commit;')
        ids.push(...firstOf(rows))
        if (rows.length === 0) break
      }
      sent.push(ids.toSorted())
    }
    expect(sent[0]).toEqual(sent[1])
    return sent[0] ?? []
  }

  async function record(engine: string, id: string, updatedAt: string, rejected: readonly string[]): Promise<void> {
    if (rejected.includes(id)) {
      await copies.runBlock(engine, 'erp/mark-rejected', [id, updatedAt, 'unknown SKU'])
      return
    }
    await copies.runBlock(engine, 'erp/mark-sent', [id, updatedAt])
    await copies.runBlock(engine, 'erp/remove-rejected', [id])
  }

  test("the guide's ERP import sends each order once, and again after an item or the updated_at of the order changes", async () => {
    await runInBoth('erp/sent-table')
    const ids = (copies.shop.orders ?? []).map(({ id }) => String(id)).toSorted()
    expect(await send()).toEqual(ids)
    expect(await send()).toEqual([])
    const [byLine, back] = ids
    await inStore(`update order_items set quantity = quantity + 1 where order_id = '${byLine}'`)
    await inStore(`update orders set updated_at = '2020-01-01' where id = '${back}'`)
    await copies.sync(true)
    expect(await send()).toEqual([byLine, back])
  })

  test("the guide's ERP import reads an order's shipping address, and the order's items with their SKUs", async () => {
    const { orders = [], order_items: items = [], products = [], product_variants: variants = [] } = copies.shop
    const order = orders[7]
    const address = JSON.parse(String(order?.shipping_address))
    await inStore(`update orders set status = 'shipped', refund_amount = 1 where id = '${order?.id}'`)
    await copies.sync()
    const [row = []] = await copies.runBlock('sqlite', 'erp/to-send')
    expect(row).toEqual(expect.arrayContaining([String(order?.id), 'shipped', address.city, address.postalCode]))
    await send()
    const lines = items.filter(({ order_id }) => order_id === order?.id)
    const skuOf = ({ product_id, variant_id }: (typeof lines)[number]) =>
      [...variants, ...products].find(({ id }) => id === (variant_id ?? product_id))?.sku
    const rows = await runInBoth('erp/lines', [String(order?.id)])
    expect(rows.map(([id, sku]) => [id, sku])).toEqual(
      sorted(lines.map((line) => [String(line.id), String(skuOf(line))])),
    )
  })

  test("if an order is deleted, the guide's ERP import reports the deletion only after a full run", async () => {
    const [gone = ''] = firstOf((copies.shop.orders ?? []).slice(20, 21).map(({ id }) => [String(id)]))
    await inStore(`delete from orders where id = '${gone}'`)
    await copies.sync()
    expect(await runInBoth('erp/deleted-orders')).toEqual([])
    await copies.sync(true)
    expect(await runInBoth('erp/deleted-orders')).toEqual([[gone]])
  })

  test("if the ERP rejects an order, the guide's import resends the order only after a change, and reports deletions only of accepted orders", async () => {
    const rejections = () =>
      compareEngines((engine) => copies.query(engine, 'select order_id, reason from erp.rejected'))
    const [corrected, rejected] = [randomUUID(), randomUUID()]
    for (const id of [corrected, rejected])
      await inStore(`insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
        values ('${id}', 'a@example.com', 'paid', 1, 0, 0, 1, now(), now())`)
    await copies.sync()
    expect(await send([corrected, rejected])).toEqual([corrected, rejected].toSorted())
    expect(await send()).toEqual([])
    const both = [corrected, rejected].map((id) => [id, 'unknown SKU'])
    expect(await rejections()).toEqual(sorted(both))
    await inStore(`update orders set updated_at = now() where id = '${corrected}'`)
    await copies.sync()
    expect(await send()).toEqual([corrected])
    expect(await rejections()).toEqual([[rejected, 'unknown SKU']])
    const deleted = firstOf(await runInBoth('erp/deleted-orders'))
    await inStore(`delete from orders where id in ('${corrected}', '${rejected}')`)
    await copies.sync(true)
    expect(firstOf(await runInBoth('erp/deleted-orders'))).toEqual([...deleted, corrected].toSorted())
  })

  test("the queue of the guide's ERP import lists each changed or deleted order until it is marked as done, and again after requeuing", async () => {
    const queued = () => copies.query('postgres', 'select order_id, change from erp.queue order by 1')
    await copies.runBlock('postgres', 'erp/queue')
    await copies.sync(true)
    expect(await queued()).toEqual([])
    const [changed, deleted] = (copies.shop.orders ?? []).slice(30, 32).map(({ id }) => String(id))
    await inStore(`update order_items set quantity = 9 where order_id = '${changed}'`)
    await inStore(`delete from orders where id = '${deleted}'`)
    await copies.sync(true)
    const entries = await queued()
    expect(firstOf(entries)).toEqual([changed, deleted].toSorted())
    const [[id, change] = []] = entries
    await copies.runBlock('postgres', 'erp/queue-done', [String(id), '0'])
    expect(await queued()).toHaveLength(2)
    await copies.runBlock('postgres', 'erp/queue-done', [String(id), String(change)])
    expect(await queued()).toHaveLength(1)
    await copies.runBlock('postgres', 'erp/queue-again', [String(id)])
    await copies.runBlock('postgres', 'erp/queue-again', [String(id)])
    expect(firstOf(await queued())).toEqual([changed, deleted].toSorted())
  })
})

test("after the steps of the erasure guide, no row of the copy refers to the customer, and the SQLite file doesn't contain the email address", async () => {
  const orderOf = (customer: unknown) => copies.shop.orders?.filter(({ customer_id }) => customer_id === customer) ?? []
  const addressesOf = (customer: unknown) =>
    copies.shop.customer_addresses?.filter((row) => row.customer_id === customer && row.deleted_at == null) ?? []
  // The tests above have deleted some orders, so the customer must have none of these.
  const isTouched = (row: unknown) => copies.shop.orders?.slice(0, 50).some((order) => order === row)
  const person = copies.shop.customers?.find(
    ({ id }) => orderOf(id).length > 2 && !orderOf(id).some(isTouched) && addressesOf(id).length > 0,
  )
  const [id, email] = [String(person?.id), String(person?.email)]
  const lastFull = async () => {
    const results = await Promise.all(ENGINES.map((engine) => copies.runBlock(engine, 'erasure/last-full')))
    return results.flat().map(([, at]) => String(at))
  }
  const places = async () =>
    (await runInBoth('erasure/person', { email: email.toUpperCase(), customer: id })).map(([place]) => place)
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
  expect((await runInBoth('erasure/orders-without-customer')).map(([order]) => order)).toEqual(
    orderOf(id)
      .map((order) => String(order.id))
      .toSorted(),
  )
  const erased = `email = 'erased@example.com', customer_id = null, shipping_address = null, billing_address = null`
  await inStore(`update orders set ${erased} where customer_id = '${id}'`)
  await copies.sync()
  expect(await places()).toEqual([])
  await runInBoth('erasure/vacuum')
  expect((await readFile('shop.db')).includes(email)).toBe(false)
  await expect(readFile('shop.db-wal'), 'no log file remains').rejects.toThrow('ENOENT')
})

test('the erasure guide names every personal column of orders and order items', async () => {
  const guide = await readFile(path.join(import.meta.dirname, '../../../docs/sync/guides/erasure.md'), 'utf8')
  const [list = ''] = /^- in `orders`:[\s\S]*?\n\n/m.exec(guide) ?? []
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  const columns = personalColumns().filter((each) => /^order(s|_items)\./.test(each))
  expect(named.toSorted()).toEqual(['orders', 'order_items', ...columns.map((each) => each.split('.')[1])].toSorted())
})

test('if the store removes an address, a full run removes the address from the copy, and an incremental run does not', async () => {
  const [address] = (copies.shop.customer_addresses ?? []).filter(({ deleted_at }) => deleted_at == null).slice(-1)
  const count = () => copies.query('sqlite', `select count(*) from customer_addresses where id = '${address?.id}'`)
  await inStore(`update customer_addresses set deleted_at = now() where id = '${address?.id}'`)
  await copies.sync()
  expect(await count()).toEqual([['1']])
  await copies.sync(true)
  expect(await count()).toEqual([['0']])
})

test('the tests have run every SQL block of the guides', () => {
  expect(copies.unusedBlocks()).toEqual([])
})
