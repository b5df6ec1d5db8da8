// Serves orders with Fastify, Kysely, and node-postgres, as a careful engineer writes an export. Responses with status
// 200 have the service's fields and formats, except the cursor. The peer uses keyset pages, and reads the items of a
// page with a second statement. It checks the key and counts its requests.

import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { Kysely, PostgresDialect, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { Pool, types } from 'pg'
import { admitKey } from './admission.ts'
import { printListening, readPeerEnvironment } from './environment.ts'
import { type Address, addressOf, cursorOf, isoTimestamp, type Position, positionOf } from './formats.ts'
import { PAGE_RESPONSE, ROW_RESPONSE } from './order-schema.ts'

interface OrderTable {
  readonly id: string
  readonly customer_id: string | null
  readonly email: string
  readonly status: string
  readonly subtotal: string
  readonly tax: string
  readonly tax_breakdown: unknown
  readonly shipping: string
  readonly total: string
  readonly currency: string | null
  readonly refund_amount: string | null
  readonly return_reason: string | null
  readonly discount_code: string | null
  readonly discount_amount: string | null
  readonly payment_provider: string | null
  readonly payment_method_id: string | null
  readonly payment_method_label: string | null
  readonly pickup_location_id: string | null
  readonly shipping_address: Address | null
  readonly billing_address: Address | null
  readonly processor_payment_intent_id: string | null
  readonly processor_charge_id: string | null
  readonly receipt_url: string | null
  readonly tracking_number: string | null
  readonly tracking_url: string | null
  readonly carrier: string | null
  readonly shipping_method: string | null
  readonly locale: string | null
  readonly metafields: unknown
  readonly created_at: string
  readonly updated_at: string
}

interface ItemTable {
  readonly id: string
  readonly order_id: string
  readonly product_id: string
  readonly variant_id: string | null
  readonly name: string
  readonly price: string
  readonly quantity: number
  readonly attributes: unknown
  readonly created_at: string
}

interface Tables {
  readonly orders: OrderTable
  readonly order_items: ItemTable
}

const LIMIT_MOST = 250
/** Options of the pool. Connections stay open while other servers have their turn. */
const POOL = { max: 8, idleTimeoutMillis: 60_000 }
/** OID of the type `timestamptz`. */
const TIMESTAMPTZ = 1184

const { port, databaseUrl, controlUrl } = readPeerEnvironment()
// Timestamps stay strings. A `Date` would be created and formatted again for nothing, and would lose the microseconds
// of the position.
types.setTypeParser(TIMESTAMPTZ, (text) => text)
const control = new Pool({ connectionString: controlUrl, ...POOL })
const store = new Pool({ connectionString: databaseUrl, ...POOL, options: '-c timezone=UTC' })
const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: store }) })
const app = Fastify({ logger: false })

app.addHook('onRequest', admit)
app.get<{ Querystring: { limit: number; after?: string } }>('/orders', { schema: pageSchema() }, sendPage)
app.get<{ Params: { id: string } }>('/orders/:id', { schema: rowSchema() }, sendRow)
await app.listen({ host: '127.0.0.1', port })
printListening(port, process.pid)

async function admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const admission = await admitKey(control, request.headers['x-api-key'])
  if (admission === null) return reply.code(401).send(errorOf('INVALID_API_KEY', 'x-api-key: must be a valid API key'))
  reply.headers({ 'cache-control': 'private, no-store', ratelimit: admission.rateLimit })
  if (admission.withinLimit) return undefined
  reply.header('retry-after', admission.secondsToNextMinute)
  return reply.code(429).send(errorOf('RATE_LIMITED', 'too many requests in this minute'))
}

async function sendPage(
  { query: { limit, after } }: FastifyRequest<{ Querystring: { limit: number; after?: string } }>,
  reply: FastifyReply,
) {
  const position = after === undefined ? null : positionOf(after)
  if (after !== undefined && position === null)
    return reply.code(400).send(errorOf('INVALID_CURSOR', 'after: must be a next_cursor of this list'))
  // One more row shows whether there is a next page.
  const found = await pageQuery(limit + 1, position).execute()
  const hasMore = found.length > limit
  const rows = hasMore ? found.slice(0, limit) : found
  const last = rows.at(-1)
  const next = hasMore && last !== undefined ? cursorOf({ createdAt: last.created_at, id: last.id }) : null
  return { data: await withItems(rows), meta: { next_cursor: next, has_more: hasMore } }
}

async function sendRow({ params: { id } }: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) {
  const rows = await ordersQuery().where('id', '=', id).execute()
  const [order] = await withItems(rows)
  if (order === undefined) return reply.code(404).send(errorOf('NOT_FOUND', 'this store has no order with this ID'))
  return { data: order }
}

function pageQuery(limit: number, position: Position | null) {
  const page = ordersQuery().orderBy('created_at').orderBy('id').limit(limit)
  if (position === null) return page
  return page.where(sql<boolean>`(created_at, id) > (${position.createdAt}::timestamptz, ${position.id}::uuid)`)
}

function ordersQuery(): SelectQueryBuilder<Tables, 'orders', OrderTable> {
  return database
    .selectFrom('orders')
    .select(['id', 'customer_id', 'email', 'status'])
    .select([money('subtotal').as('subtotal'), money('tax').as('tax'), 'tax_breakdown'])
    .select([money('shipping').as('shipping'), money('total').as('total'), 'currency'])
    .select([money<string | null>('refund_amount').as('refund_amount'), 'return_reason', 'discount_code'])
    .select([money<string | null>('discount_amount').as('discount_amount'), 'payment_provider', 'payment_method_id'])
    .select(['payment_method_label', 'pickup_location_id', 'shipping_address', 'billing_address'])
    .select(['processor_payment_intent_id', 'processor_charge_id', 'receipt_url', 'tracking_number', 'tracking_url'])
    .select(['carrier', 'shipping_method', 'locale', 'metafields', 'created_at', 'updated_at'])
}

/** Returns the amount with two decimals, rounded by PostgreSQL. The column contains as many decimals as were stored. */
function money<Value extends string | null = string>(column: string): RawBuilder<Value> {
  return sql<Value>`round(${sql.ref(column)}, 2)`
}

async function withItems(orders: readonly OrderTable[]) {
  if (orders.length === 0) return []
  const items = await database
    .selectFrom('order_items')
    .select(['id', 'order_id', 'product_id', 'variant_id', 'name', money('price').as('price'), 'quantity'])
    .select(['attributes', 'created_at'])
    .where(sql<boolean>`order_id = any(${orders.map(({ id }) => id)}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const itemsOf = new Map<string, ItemTable[]>(orders.map(({ id }) => [id, []]))
  for (const item of items) itemsOf.get(item.order_id)?.push({ ...item, created_at: isoTimestamp(item.created_at) })
  return orders.map((order) => served(order, itemsOf.get(order.id) ?? []))
}

/**
 * Returns the order as the service would. Every payment provider except `manual` becomes `processor`, and a manual
 * order has no processor IDs (R34 in docs/spec/readings.md).
 */
function served(order: OrderTable, items: readonly ItemTable[]) {
  const isManual = order.payment_provider === 'manual'
  return {
    ...order,
    payment_provider: order.payment_provider === null || isManual ? order.payment_provider : 'processor',
    shipping_address: addressOf(order.shipping_address),
    billing_address: addressOf(order.billing_address),
    processor_payment_intent_id: isManual ? null : order.processor_payment_intent_id,
    processor_charge_id: isManual ? null : order.processor_charge_id,
    created_at: isoTimestamp(order.created_at),
    updated_at: isoTimestamp(order.updated_at),
    items,
  }
}

function errorOf(code: string, message: string) {
  return { error: { code, message } }
}

function pageSchema() {
  const limit = { type: 'integer', minimum: 1, maximum: LIMIT_MOST, default: 50 }
  const querystring = { type: 'object', properties: { limit, after: { type: 'string' } } }
  return { querystring, response: { 200: PAGE_RESPONSE } }
}

function rowSchema() {
  const params = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } }
  return { params, response: { 200: ROW_RESPONSE } }
}
