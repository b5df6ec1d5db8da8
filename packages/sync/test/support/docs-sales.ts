// Orders as the answers to the pages of docs/sync need them: in whole cents, on days in Berlin, without a database.

import type { Row } from '../../../operator/src/demo/rows.ts'
import type { ShopRows } from './docs-shop.ts'

const UNSOLD = ['pending', 'cancelled', 'on_hold']
const DAY = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' })

/** An order as the answers need it. */
export interface Sale {
  readonly row: Row
  readonly id: string
  readonly day: string
  readonly month: string
  readonly currency: string
  readonly isSale: boolean
  readonly buyer: string
  readonly total: bigint
  readonly subtotal: bigint
  readonly discount: bigint
  readonly tax: bigint
  readonly shipping: bigint
  readonly refund: bigint
  readonly parts: readonly { readonly rate: number; readonly baseCents: number; readonly taxCents: number }[]
}

/** The order of a row. */
export function saleOf(shop: ShopRows, row: Row): Sale {
  const day = DAY.format(at(row))
  return {
    row,
    id: String(row.id),
    day,
    month: day.slice(0, 7),
    currency: String(row.currency ?? tableOf(shop, 'store')[0]?.store_currency),
    isSale: !UNSOLD.includes(String(row.status)),
    buyer: String(row.customer_id ?? String(row.email).toLowerCase()),
    total: cents(row.total),
    subtotal: cents(row.subtotal),
    discount: cents(row.discount_amount),
    tax: cents(row.tax),
    shipping: cents(row.shipping),
    refund: cents(row.refund_amount),
    parts: typeof row.tax_breakdown === 'string' ? JSON.parse(row.tax_breakdown) : [],
  }
}

/** Which sum gives the order's total. */
export function sumReading({ subtotal, discount, tax, shipping, total }: Sale): string {
  if (subtotal - discount + tax + shipping === total) return 'tax is on top'
  return subtotal - discount + shipping === total ? 'tax is in the prices' : 'neither'
}

/** What its tax by rate was reckoned from. */
export function baseReading({ parts, tax, total, subtotal, discount }: Sale): string {
  const base = parts.reduce((added, { baseCents }) => added + BigInt(baseCents), 0n)
  if (base + tax === total) return 'goods and shipping'
  return [base, base + tax].includes(subtotal - discount) ? 'goods alone' : 'neither'
}

/** What the goods were sold for, without tax and before the discount. */
export function goodsOf(sale: Sale): bigint {
  const { subtotal, discount, tax, shipping, total } = sale
  if (sumReading(sale) === 'tax is on top') return subtotal
  return sumReading(sale) === 'neither' ? total - tax - shipping + discount : subtotal - tax
}

/** Rows of a table. */
export function tableOf(shop: ShopRows, name: string): readonly Row[] {
  return shop[name] ?? []
}

/** Rows by what `keyOf` says of them. */
export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string[]): [string[], T[]][] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keyOf(row)))
  return [...groups].map(([key, members]) => [JSON.parse(key), members])
}

/** Of one amount of each order. */
export function sum(
  rows: readonly Sale[],
  name: 'total' | 'subtotal' | 'discount' | 'tax' | 'shipping' | 'refund',
): bigint {
  return rows.reduce((added, row) => added + row[name], 0n)
}

/** Half away from zero; of amounts that are not below it. */
export function rounded(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor + (2n * (dividend % divisor) >= divisor ? 1n : 0n)
}

/** Whole cents of an amount; nothing is 0. */
export function cents(value: unknown): bigint {
  const [units = '0', rest = '00'] = String(value ?? '0.00').split('.')
  return BigInt(units) * 100n + BigInt(rest)
}

/** Whole cents as an amount. */
export function amount(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** When it was placed, milliseconds since 1970. */
export function at({ created_at }: Row): number {
  return Date.parse(String(created_at))
}
