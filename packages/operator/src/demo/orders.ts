// Generates orders with their lines, in the order of their creation.

import { includesRevision, type RevisionId } from '@store-export/contract'
import type { Article } from './catalog.ts'
import type { DemoCustomer } from './customers.ts'
import type { PickupPlace } from './locations.ts'
import { centsText, subtotalOf, taxByRate } from './money.ts'
import { type OrderStatus, paymentOf, shipmentOf, statusOf } from './order-status.ts'
import { makePerson, type OrderAddress } from './people.ts'
import type { SeededRandom } from './random.ts'
import type { Row } from './rows.ts'
import type { DemoShop } from './shop.ts'
import { DAY, HISTORY_END, HISTORY_START, HOUR, timestampText, untilEnd } from './timestamps.ts'
import { type Locale, RETURN_REASONS, SOURCE_NUMBER } from './words/texts.ts'

/** What orders are generated from. */
export interface OrderSources {
  readonly shop: DemoShop
  readonly revision: RevisionId
  readonly count: number
  readonly articles: readonly Article[]
  readonly customers: readonly DemoCustomer[]
  readonly places: readonly PickupPlace[]
  /** IDs of the manual payment methods, in the order of `MANUAL_METHODS`. */
  readonly methodIds: readonly string[]
  readonly random: SeededRandom
}

/** The row of an order and the rows of its lines. */
export interface PlacedOrder {
  readonly order: Row
  readonly items: readonly Row[]
}

interface Buyer {
  /** ID of the customer; null for a guest. */
  readonly id: string | null
  readonly email: string
  readonly home: OrderAddress
  readonly locale: Locale
}

interface Line extends Article {
  readonly quantity: number
}

/** Generates orders one at a time, so that any number of them needs little memory. */
export function* makeOrders(sources: OrderSources): Generator<PlacedOrder> {
  const { customers, count, random } = sources
  const step = (HISTORY_END - HISTORY_START) / count
  let joined = 0
  let createdAt = HISTORY_START
  for (let index = 0; index < count; index++) {
    createdAt = placedAt(index, createdAt, Math.floor(HISTORY_START + (index + random.next()) * step))
    while ((customers[joined]?.createdAt ?? Number.POSITIVE_INFINITY) <= createdAt) joined++
    const buyer = drawBuyer(sources, joined, index)
    yield makeOrder(sources, buyer, index, createdAt)
  }
}

/**
 * Returns the time of an order, in microseconds since 1970. `before` is the time of the previous order, and `drawn` is
 * a random time. As in imports and at busy times, some orders have the time of the previous one, or are a microsecond
 * later.
 */
function placedAt(index: number, before: number, drawn: number): number {
  if (index > 0 && index % 40 === 0) return before
  return index > 1 && index % 40 === 1 ? before + 1 : drawn
}

/**
 * Returns a guest, or one of the first `joined` customers. If none has joined, the first customer buys. Newer customers
 * buy more. The high numbers of guests make their email addresses different from those of customers.
 */
function drawBuyer({ shop, customers, random }: OrderSources, joined: number, index: number): Buyer {
  const customer = random.chance(0.18) ? undefined : customers[Math.floor((1 - random.next() ** 1.5) * joined)]
  return customer ?? { id: null, locale: shop.locales[0], ...makePerson(shop, 1_000_000 + index, random) }
}

/**
 * Returns order number `index`. All orders share one random sequence, so another call of `random` changes all later
 * orders.
 */
function makeOrder(sources: OrderSources, buyer: Buyer, index: number, createdAt: number): PlacedOrder {
  const { shop, random, revision } = sources
  const id = random.uuid()
  const lines = drawLines(sources)
  const status = statusOf(index, createdAt)
  const pickup = includesRevision(revision, 'v1.2') && random.chance(0.08) ? random.pick(sources.places) : undefined
  const money = amountsOf(shop, lines, { pickup: pickup !== undefined, country: buyer.home.country, random })
  const updatedAt = untilEnd(createdAt + (status === 'pending' ? random.next() * HOUR : random.next() * 14 * DAY))
  const order = {
    id,
    customer_id: buyer.id,
    email: buyer.email,
    status,
    subtotal: centsText(money.subtotal),
    tax: centsText(money.tax),
    // The specification has a breakdown only for orders with several rates.
    tax_breakdown: money.rates.length > 1 ? JSON.stringify(money.rates) : null,
    shipping: centsText(money.shipping),
    total: centsText(money.total),
    currency: currencyOf(shop, buyer.home.country, createdAt),
    ...discountCells(money, random),
    ...refundCells(status, money.total, { lines, locale: shop.locales[0], random }),
    ...paymentOf(sources, status),
    pickup_location_id: pickup?.id ?? null,
    shipping_address: JSON.stringify(pickup?.address ?? buyer.home),
    billing_address: random.chance(0.92) ? JSON.stringify(buyer.home) : null,
    ...shipmentOf(sources, status, pickup !== undefined),
    locale: random.chance(0.95) ? buyer.locale : null,
    metafields: metafieldsOf(shop, index, random),
    created_at: timestampText(createdAt),
    updated_at: timestampText(Math.max(updatedAt, createdAt)),
  }
  return { order, items: lines.map((line) => itemRow(line, id, createdAt, random)) }
}

function drawLines({ articles, random }: OrderSources): Line[] {
  const count = 1 + Math.floor(random.next() ** 2 * 5)
  return Array.from({ length: count }, () => ({
    ...random.pick(articles),
    quantity: random.chance(0.8) ? 1 : random.between(2, 6),
  }))
}

interface OrderAmounts {
  readonly subtotal: number
  readonly discount: number
  readonly shipping: number
  readonly tax: number
  readonly total: number
  readonly rates: ReturnType<typeof taxByRate>
}

/**
 * Returns the amounts in cents. The total is subtotal - discount + tax + shipping. `rates` has the tax of each rate;
 * empty for a country without tax.
 */
function amountsOf(
  shop: DemoShop,
  lines: readonly Line[],
  { pickup, country, random }: { pickup: boolean; country: DemoShop['country']; random: SeededRandom },
): OrderAmounts {
  const subtotal = subtotalOf(lines)
  const discount = random.chance(0.14) ? Math.round(subtotal * random.pick([0.05, 0.1, 0.15])) : 0
  const rates = shop.taxFree.includes(country) ? [] : taxByRate(lines, discount)
  const tax = rates.reduce((sum, { taxCents }) => sum + taxCents, 0)
  const shipping = shippingCents(shop, { pickup, country, subtotal })
  return { subtotal, discount, shipping, tax, total: subtotal - discount + tax + shipping, rates }
}

/** Returns the price of shipping: nothing for pickup and for large orders in the shop's country. */
function shippingCents(
  shop: DemoShop,
  { pickup, country, subtotal }: { pickup: boolean; country: DemoShop['country']; subtotal: number },
): number {
  if (pickup) return 0
  if (country !== shop.country) return 1290
  return subtotal >= 7500 ? 0 : 490
}

/** Returns the discount columns. A third of the discounts have no code. */
function discountCells({ discount }: OrderAmounts, random: SeededRandom): Row {
  if (discount === 0) return {}
  return {
    discount_code: random.chance(0.67) ? random.pick(['HERBST10', 'BIENVENUE', 'WELCOME-5', 'FRÜHLING']) : null,
    discount_amount: centsText(discount),
  }
}

/** Returns the columns of a refund or a return. About one delivered order in 30 has a refund for a single piece. */
function refundCells(
  status: OrderStatus,
  total: number,
  { lines, locale, random }: { lines: readonly Line[]; locale: Locale; random: SeededRandom },
): Row {
  if (status === 'refunded') return { refund_amount: centsText(total) }
  if (status === 'return_requested') return { return_reason: random.pick(RETURN_REASONS[locale]) }
  const partly = status === 'delivered' && random.chance(0.03)
  return partly ? { refund_amount: centsText(Math.min(lines[0]?.cents ?? 0, total)) } : {}
}

/**
 * Returns the currency. It is null for orders of the first weeks, as in a store that got the column by an upgrade.
 * Orders from Switzerland to a shop with euros are in francs, with the same numbers.
 */
function currencyOf(shop: DemoShop, country: DemoShop['country'], createdAt: number): string | null {
  if (createdAt < HISTORY_START + 40 * DAY) return null
  return country === 'CH' && shop.currency === 'EUR' ? 'CHF' : shop.currency
}

/** Returns a number of another system for some orders, an empty list for others, and null for most. */
function metafieldsOf(shop: DemoShop, index: number, random: SeededRandom): string | null {
  const draw = random.next()
  if (draw > 0.1) return null
  if (draw > 0.06) return '[]'
  return JSON.stringify([
    { key: 'source_number', label: SOURCE_NUMBER[shop.locales[0]], value: `A-${100_000 + index}` },
  ])
}

function itemRow(line: Line, orderId: string, createdAt: number, random: SeededRandom): Row {
  return {
    id: random.uuid(),
    order_id: orderId,
    product_id: line.productId,
    variant_id: line.variantId,
    name: line.name,
    price: centsText(line.cents),
    quantity: line.quantity,
    attributes: line.attributes,
    created_at: timestampText(createdAt),
  }
}
