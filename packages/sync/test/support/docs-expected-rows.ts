// Computes the expected results of the queries in docs/sync/guides from the rows of the store, in cents, without SQL.

import type { Row } from '../../../operator/src/demo/rows.ts'
import {
  amount,
  at,
  baseReading,
  cents,
  goodsOf,
  grouped,
  rounded,
  type Sale,
  saleOf,
  sum,
  sumReading,
  tableOf,
} from './docs-sales.ts'
import type { ShopRows } from './docs-shop.ts'

/** A row of a result. Amounts are strings with two decimals. */
export type ResultRow = readonly (string | number | null)[]

/** Returns the expected rows by `page/name` of the block. */
export function expectedRows(shop: ShopRows): Readonly<Record<string, readonly ResultRow[]>> {
  const all = tableOf(shop, 'orders').map((row) => saleOf(shop, row))
  const sold = all.filter(({ isSale }) => isSale)
  const september = sold.filter(({ month }) => month === '2026-09')
  return {
    'sql/revenue': grouped(sold, byMonth).map(([key, rows]) => [
      ...key,
      rows.length,
      amount(sum(rows, 'total')),
      amount(sum(rows, 'refund')),
      amount(sum(rows, 'total') - sum(rows, 'refund')),
    ]),
    'sql/csv-revenue': grouped(sold, byMonth).map(counted),
    'sql/parquet-revenue': grouped(sold, byMonth).map(counted),
    'sql/new-and-returning': newAndReturning(sold),
    'sql/best-products': bestProducts(shop, sold),
    'sql/reorder': stockOf(shop)
      .filter(({ product, stock }) => product.status === 'active' && product.track_inventory !== false && stock <= 5)
      .map(({ sku, product, variant, stock }) => [sku, String(product.name), variant, stock]),
    'sql/statuses': grouped(all, ({ row, currency }) => [String(row.status), currency]).map(([key, rows]) => [
      ...key,
      rows.length,
      amount(sum(rows, 'total')),
      rows.map(({ day }) => day).sort()[0] ?? null,
    ]),
    'sql/average': grouped(sold, byMonth).map(([key, rows]) => [
      ...key,
      amount(rounded(sum(rows, 'total'), BigInt(rows.length))),
    ]),
    'sql/repeat-rate': [repeatRate(sold)],
    'sql/refunds': grouped(
      all.filter(({ refund }) => refund > 0n),
      byMonth,
    ).map(([key, rows]) => [
      ...key,
      rows.length,
      rows.filter(({ refund, total }) => refund >= total).length,
      amount(sum(rows, 'refund')),
    ]),
    'sql/locations': grouped(sold, (sale) => [sale.currency, placeOf(shop, sale)]).map(counted),
    'sql/payments': grouped(sold, ({ row, currency }) => [currency, methodOf(row)]).map(counted),
    'sql/unpaid': all
      .filter(({ row }) => row.status === 'pending' && Date.now() - at(row) > 86_400_000)
      .map(({ id, day, row, currency, total }) => [id, day, String(row.email), currency, amount(total)]),
    'accounting/which-sum': grouped(
      all.filter(({ tax }) => tax !== 0n),
      (sale) => [sumReading(sale)],
    ).map(([key, rows]) => [...key, rows.length, rows.map(({ id }) => id).sort()[0] ?? null]),
    'accounting/which-base': grouped(
      all.filter(({ parts, shipping }) => parts.length > 0 && shipping !== 0n),
      (sale) => [baseReading(sale)],
    ).map(([key, rows]) => [...key, rows.length, 0]),
    'accounting/month': grouped(september, ({ currency }) => [currency]).map(([key, rows]) => [
      ...key,
      rows.length,
      ...(['subtotal', 'discount', 'shipping', 'tax', 'total', 'refund'] as const).map((name) =>
        amount(sum(rows, name)),
      ),
    ]),
    'accounting/tax-by-rate': taxByRate(september),
    'accounting/charged-not-sold': all
      .filter(({ isSale, row, refund }) => !isSale && (row.processor_charge_id != null || refund !== 0n))
      .map(({ id, day, row, currency, total, refund }) => [
        id,
        day,
        String(row.status),
        currency,
        amount(total),
        amount(refund),
        row.processor_charge_id == null ? null : String(row.processor_charge_id),
      ]),
    'accounting/journal': september.flatMap(journalOf),
    'accounting/counts': ['orders', 'customers', 'products'].map((name) => {
      const count = tableOf(shop, name).length
      return [name, count, count]
    }),
    'erp/stock': stockOf(shop)
      .filter(({ product }) => product.status !== 'draft')
      .map(({ id, sku, product, variant, stock, price, weight }) => [
        id,
        sku,
        String(product.name),
        variant,
        stock,
        price,
        weight,
        product.tax_class === null ? null : String(product.tax_class),
      ]),
    'erasure/orders-without-customer': [],
  }
}

const byMonth = ({ currency, month }: Sale) => [currency, month]
const counted = ([key, rows]: [string[], Sale[]]): ResultRow => [...key, rows.length, amount(sum(rows, 'total'))]

function newAndReturning(sold: readonly Sale[]): ResultRow[] {
  const known = new Set<string>()
  const months = new Map<string, [number, number]>()
  for (const { buyer, month } of sold.toSorted((one, other) => at(one.row) - at(other.row))) {
    const [fromNew, fromReturning] = months.get(month) ?? [0, 0]
    months.set(month, known.has(buyer) ? [fromNew, fromReturning + 1] : [fromNew + 1, fromReturning])
    known.add(buyer)
  }
  return [...months].map(([month, counts]) => [month, ...counts])
}

function repeatRate(sold: readonly Sale[]): ResultRow {
  const buyers = grouped(sold, ({ buyer }) => [buyer])
  const again = buyers.filter(([, rows]) => rows.length > 1).length
  return [buyers.length, again, Math.round((1000 * again) / buyers.length) / 10]
}

function bestProducts(shop: ShopRows, sold: readonly Sale[]): ResultRow[] {
  const orders = new Set(sold.filter(({ currency }) => currency === 'EUR').map(({ id }) => id))
  const lines = tableOf(shop, 'order_items').filter((line) => orders.has(String(line.order_id)))
  const names = new Map(tableOf(shop, 'products').map(({ id, name }) => [id, name]))
  return grouped(lines, (line) => [String(line.product_id)])
    .map(([[id = ''], rows]) => {
      const revenue = rows.reduce((total, { price, quantity }) => total + cents(price) * BigInt(Number(quantity)), 0n)
      const units = rows.reduce((total, { quantity }) => total + Number(quantity), 0)
      return { revenue, row: [id, String(names.get(id) ?? rows[0]?.name), units, amount(revenue)] }
    })
    .toSorted(
      (one, other) => Number(other.revenue - one.revenue) || (String(one.row[0]) < String(other.row[0]) ? -1 : 1),
    )
    .slice(0, 20)
    .map(({ row }) => row)
}

function stockOf(shop: ShopRows) {
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  return tableOf(shop, 'products').flatMap((product) => {
    const variants = tableOf(shop, 'product_variants').filter(({ product_id }) => product_id === product.id)
    return (variants.length > 0 ? variants : [product]).map((row) => ({
      product,
      id: String(row.id),
      sku: text(row.sku),
      variant: row === product ? null : text(row.name),
      stock: Number(row.inventory),
      price: text(row.price ?? product.price),
      weight: text(row.weight_grams ?? product.weight_grams),
    }))
  })
}

function placeOf(shop: ShopRows, { row }: Sale): string {
  if (row.pickup_location_id == null) return 'shipped'
  return String(tableOf(shop, 'locations').find(({ id }) => id === row.pickup_location_id)?.name ?? 'deleted location')
}

function methodOf({ payment_provider, payment_method_label }: Row): string {
  return payment_provider === 'manual' ? String(payment_method_label ?? 'manual') : 'card'
}

function taxByRate(sales: readonly Sale[]): ResultRow[] {
  const parts = sales.flatMap(({ currency, parts: rates, tax, total }) =>
    rates.length > 0
      ? rates.map(({ rate, baseCents, taxCents }) => ({
          key: [currency, 'by rate', String(rate)],
          base: BigInt(baseCents),
          tax: BigInt(taxCents),
        }))
      : [{ key: [currency, tax === 0n ? 'no tax' : 'one rate', ''], base: total - tax, tax }],
  )
  return grouped(parts, ({ key }) => key).map(([[currency = '', kind = '', rate], rows]) => [
    currency,
    kind,
    rate === undefined || rate === '' ? null : rate,
    rows.length,
    amount(rows.reduce((added, { base }) => added + base, 0n)),
    amount(rows.reduce((added, { tax }) => added + tax, 0n)),
  ])
}

function journalOf(sale: Sale): ResultRow[] {
  const { day, id, currency, discount, tax, shipping, total } = sale
  const goods = goodsOf(sale)
  const entries: [string, bigint][] = [
    ['receivables', total],
    ['discounts', discount],
    ['item sales', -goods],
    ['shipping', -shipping],
    ['tax', -tax],
  ]
  return entries.flatMap(([account, value]) => (value === 0n ? [] : [[day, id, currency, account, amount(value)]]))
}
