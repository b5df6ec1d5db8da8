// Computes the expected results of the pages in docs/sync from orders with amounts in cents and days in Berlin.

import type { Row } from '../../../operator/src/demo/rows.ts'
import type { ShopRows } from './docs-shop.ts'

const UNSOLD = ['pending', 'cancelled', 'on_hold']
const DAY = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' })

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

/** Returns the sale of a row of `orders`. Without a currency of its own, it has that of the store. */
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

/** Returns `tax added` or `tax included` if the total is the sum with such a tax; otherwise `neither`. */
export function sumReading({ subtotal, discount, tax, shipping, total }: Sale): string {
  if (subtotal - discount + tax + shipping === total) return 'tax added'
  return subtotal - discount + shipping === total ? 'tax included' : 'neither'
}

/** Returns what the bases of the taxes by rate contain: `goods and shipping`, `goods only`, or `neither`. */
export function baseReading({ parts, tax, total, subtotal, discount }: Sale): string {
  const base = parts.reduce((added, { baseCents }) => added + BigInt(baseCents), 0n)
  if (base + tax === total) return 'goods and shipping'
  return [base, base + tax].includes(subtotal - discount) ? 'goods only' : 'neither'
}

/** Returns the price of the goods without tax and before the discount. */
export function goodsOf(sale: Sale): bigint {
  const { subtotal, discount, tax, shipping, total } = sale
  if (sumReading(sale) === 'tax added') return subtotal
  return sumReading(sale) === 'neither' ? total - tax - shipping + discount : subtotal - tax
}

export function tableOf(shop: ShopRows, name: string): readonly Row[] {
  return shop[name] ?? []
}

export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string[]): [string[], T[]][] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keyOf(row)))
  return [...groups].map(([key, members]) => [JSON.parse(key), members])
}

export function sum(
  rows: readonly Sale[],
  name: 'total' | 'subtotal' | 'discount' | 'tax' | 'shipping' | 'refund',
): bigint {
  return rows.reduce((added, row) => added + row[name], 0n)
}

/** Divides and rounds half up. Neither number is negative. */
export function rounded(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor + (2n * (dividend % divisor) >= divisor ? 1n : 0n)
}

/** Converts a nonnegative amount with two decimals (or none) to cents. null is 0. */
export function cents(value: unknown): bigint {
  const [units = '0', rest = '00'] = String(value ?? '0.00').split('.')
  return BigInt(units) * 100n + BigInt(rest)
}

/** Converts cents to an amount with two decimals. */
export function amount(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Returns `created_at` in ms since 1970. */
export function at({ created_at }: Row): number {
  return Date.parse(String(created_at))
}
