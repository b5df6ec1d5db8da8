import { expect, test } from 'vitest'
import { openapi } from './openapi.ts'

interface ExampleOrder {
  readonly subtotal: string
  readonly tax: string
  readonly shipping: string
  readonly total: string
  readonly discount_amount: string | null
  readonly tax_breakdown: readonly { readonly rate: number; readonly baseCents: number; readonly taxCents: number }[]
  readonly created_at: string
  readonly updated_at: string
  readonly id: string
  readonly items: readonly { readonly order_id: string; readonly price: string; readonly quantity: number }[]
}

/** Returns every order in a part of the document. */
function ordersIn(value: unknown): ExampleOrder[] {
  if (typeof value !== 'object' || value === null) return []
  const found = 'tax_breakdown' in value && 'subtotal' in value && typeof value.subtotal === 'string'
  return [...(found ? [value as ExampleOrder] : []), ...Object.values(value).flatMap(ordersIn)]
}

const cents = (amount: string | null): number => Math.round(Number(amount ?? '0') * 100)
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const orders = ordersIn(openapi())

test('[RES-ORDER] the OpenAPI document has at least three example orders', () => {
  expect(orders.length).toBeGreaterThanOrEqual(3)
})

test.each(orders.map((order, index) => [index, order] as const))(
  'in example order %i of the OpenAPI document, the amounts of items, discount, tax, and shipping add up to the total',
  (_index, order) => {
    const discount = cents(order.discount_amount)
    expect(sum(order.items.map(({ price, quantity }) => cents(price) * quantity))).toBe(cents(order.subtotal))
    expect(sum(order.tax_breakdown.map(({ taxCents }) => taxCents))).toBe(cents(order.tax))
    expect(sum(order.tax_breakdown.map(({ baseCents }) => baseCents))).toBe(cents(order.subtotal) - discount)
    for (const { rate, baseCents, taxCents } of order.tax_breakdown)
      expect(taxCents).toBe(Math.round((baseCents * rate) / 100))
    expect(cents(order.subtotal) - discount + cents(order.tax) + cents(order.shipping)).toBe(cents(order.total))
  },
)

test.each(orders.map((order, index) => [index, order] as const))(
  'in example order %i of the OpenAPI document, each order_id is the ID of the order, and updated_at is after created_at',
  (_index, order) => {
    expect(order.items.map(({ order_id }) => order_id)).toEqual(order.items.map(() => order.id))
    expect(order.created_at < order.updated_at).toBe(true)
  },
)

test('in the example store of the OpenAPI document, prices exclude tax', () => {
  const text = JSON.stringify(openapi())
  expect(text).toContain('"tax_included_in_prices":false')
  expect(text).not.toContain('"tax_included_in_prices":true')
})
