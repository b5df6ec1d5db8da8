// Serves orders with Express and an ORM, Drizzle, as Drizzle's documentation recommends. A relational query returns the
// orders of a page with their items in one prepared statement, and the items' prices as floating-point numbers.
// Responses with status 200 have the service's fields and formats, except the cursor. The peer checks the key and
// counts its requests.

import { relations, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, jsonb, numeric, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import express, { type NextFunction, type Request, type Response } from 'express'
import { Pool } from 'pg'
import { admitKey } from './admission.ts'
import { printListening, readPeerEnvironment } from './environment.ts'
import { type Address, addressOf, cursorOf, isoTimestamp, positionOf } from './formats.ts'

const orders = pgTable('orders', {
  id: uuid().primaryKey(),
  customer_id: uuid(),
  email: text().notNull(),
  status: text().notNull(),
  subtotal: numeric().notNull(),
  tax: numeric().notNull(),
  tax_breakdown: jsonb(),
  shipping: numeric().notNull(),
  total: numeric().notNull(),
  currency: text(),
  refund_amount: numeric(),
  return_reason: text(),
  discount_code: text(),
  discount_amount: numeric(),
  payment_provider: text(),
  payment_method_id: uuid(),
  payment_method_label: text(),
  pickup_location_id: uuid(),
  shipping_address: jsonb().$type<Address>(),
  billing_address: jsonb().$type<Address>(),
  processor_payment_intent_id: text(),
  processor_charge_id: text(),
  receipt_url: text(),
  tracking_number: text(),
  tracking_url: text(),
  carrier: text(),
  shipping_method: text(),
  locale: text(),
  metafields: jsonb(),
  created_at: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
  updated_at: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
})

const orderItems = pgTable('order_items', {
  id: uuid().primaryKey(),
  order_id: uuid().notNull(),
  product_id: uuid().notNull(),
  variant_id: uuid(),
  name: text().notNull(),
  price: numeric().notNull(),
  quantity: integer().notNull(),
  attributes: jsonb(),
  created_at: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
})

const ordersRelations = relations(orders, ({ many }) => ({ items: many(orderItems) }))
const itemsRelations = relations(orderItems, ({ one }) => ({
  order: one(orders, { fields: [orderItems.order_id], references: [orders.id] }),
}))

const LIMIT_MOST = 250
/** Options of the pool. Connections stay open while other servers have their turn. */
const POOL = { max: 8, idleTimeoutMillis: 60_000 }
const LIMIT = /^[1-9]\d{0,2}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** The position before the first row. */
const BEFORE_ALL = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

const { port, databaseUrl, controlUrl } = readPeerEnvironment()
const control = new Pool({ connectionString: controlUrl, ...POOL })
const store = new Pool({ connectionString: databaseUrl, ...POOL, options: '-c timezone=UTC' })
const database = drizzle({ client: store, schema: { orders, orderItems, ordersRelations, itemsRelations } })
const items = { orderBy: [orderItems.created_at, orderItems.id] }
const page = database.query.orders
  .findMany({
    with: { items },
    where: afterPosition(sql.placeholder('createdAt'), sql.placeholder('id')),
    orderBy: [orders.created_at, orders.id],
    limit: sql.placeholder('limit'),
  })
  .prepare('orders_page')
const row = database.query.orders
  .findMany({ with: { items }, where: sql`${orders.id} = ${sql.placeholder('id')}` })
  .prepare('orders_row')

type OrderWithItems = Awaited<ReturnType<typeof page.execute>>[number]

const app = express()
// Nothing may be cached, so no response needs a hash.
app.set('etag', false)
app.disable('x-powered-by')
app.use(admit)
app.get('/orders', sendPage)
app.get('/orders/:id', sendRow)
app.listen(port, '127.0.0.1', () => printListening(port, process.pid))

async function admit(request: Request, response: Response, next: NextFunction): Promise<void> {
  const admission = await admitKey(control, request.headers['x-api-key'])
  if (admission === null) return fail(response, 401, 'INVALID_API_KEY')
  response.set({ 'cache-control': 'private, no-store', ratelimit: admission.rateLimit })
  if (admission.withinLimit) return next()
  response.set('retry-after', String(admission.secondsToNextMinute))
  fail(response, 429, 'RATE_LIMITED')
}

async function sendPage({ query: { limit: limitText = '50', after } }: Request, response: Response): Promise<void> {
  const limit = typeof limitText === 'string' && LIMIT.test(limitText) ? Number(limitText) : Number.NaN
  if (!(limit <= LIMIT_MOST)) return fail(response, 400, 'INVALID_PARAM')
  const position = after === undefined ? BEFORE_ALL : positionOf(String(after))
  if (position === null) return fail(response, 400, 'INVALID_CURSOR')
  // One more row shows whether there is a next page.
  const found = await page.execute({ ...position, limit: limit + 1 })
  const hasMore = found.length > limit
  const rows = hasMore ? found.slice(0, limit) : found
  const last = rows.at(-1)
  const next = hasMore && last !== undefined ? cursorOf({ createdAt: last.created_at, id: last.id }) : null
  response.json({ data: rows.map(served), meta: { next_cursor: next, has_more: hasMore } })
}

async function sendRow({ params: { id } }: Request, response: Response): Promise<void> {
  if (typeof id !== 'string' || !UUID.test(id)) return fail(response, 400, 'INVALID_PARAM')
  const [order] = await row.execute({ id })
  if (order === undefined) return fail(response, 404, 'NOT_FOUND')
  response.json({ data: served(order) })
}

function afterPosition(createdAt: unknown, id: unknown): SQL {
  return sql`(${orders.created_at}, ${orders.id}) > (${createdAt}::timestamptz, ${id}::uuid)`
}

/**
 * Returns the order as the service would. Every payment provider except `manual` becomes `processor`, and a manual
 * order has no processor IDs (R34 in docs/spec/readings.md).
 */
function served(order: OrderWithItems) {
  const isManual = order.payment_provider === 'manual'
  return {
    ...order,
    subtotal: money(order.subtotal),
    tax: money(order.tax),
    shipping: money(order.shipping),
    total: money(order.total),
    refund_amount: order.refund_amount === null ? null : money(order.refund_amount),
    discount_amount: order.discount_amount === null ? null : money(order.discount_amount),
    payment_provider: order.payment_provider === null || isManual ? order.payment_provider : 'processor',
    shipping_address: addressOf(order.shipping_address),
    billing_address: addressOf(order.billing_address),
    processor_payment_intent_id: isManual ? null : order.processor_payment_intent_id,
    processor_charge_id: isManual ? null : order.processor_charge_id,
    created_at: isoTimestamp(order.created_at),
    updated_at: isoTimestamp(order.updated_at),
    items: order.items.map((item) => ({
      ...item,
      price: money(item.price),
      created_at: isoTimestamp(item.created_at),
    })),
  }
}

/**
 * Returns the amount with two decimals. The relational query returns items as JSON. `JSON.parse` makes their prices
 * floating-point numbers, and Drizzle makes these strings, without trailing zeros.
 */
function money(value: string): string {
  return value.at(-3) === '.' ? value : Number(value).toFixed(2)
}

function fail(response: Response, status: number, code: string): void {
  response.status(status).json({ error: { code, message: code } })
}
