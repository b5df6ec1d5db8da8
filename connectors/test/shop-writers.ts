// Runs writers that change and delete rows of all large tables, with overlapping transactions like those of
// bench/service/late-commits/writers.ts.

import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { startWriters, type Writers } from '../../bench/service/late-commits/writers.ts'
import { includesRevision, type RevisionId } from '../../packages/contract/src/index.ts'
import { openClient } from '../../test/support/client.ts'

const WRITERS = 4
/** Duration of a transaction in ms. One of ten takes longer than the service waits for open transactions. */
const LONG_MS = 1500
const SHORT_MS = 30

/** Returns SQL for a random row that no other transaction has locked. */
const anyOf = (table: string) => `(select id from ${table} order by random() limit 1 for update skip locked)`

/**
 * Returns SQL for a random row to delete. The first row stays, because a tool keeps its rows of a table that looks
 * empty: it cannot know that the store deleted all of them.
 */
const anyToDelete = (table: string) =>
  `(select id from ${table} where id <> (select id from ${table} order by id limit 1)
    order by random() limit 1 for update skip locked)`

/** Statements with `$mark` in place of a unique number. */
const STATEMENTS: readonly string[] = [
  `delete from orders where id = ${anyToDelete('orders')}`,
  `update orders set total = total + 0.01, status = 'paid' where id = ${anyOf('orders')}`,
  `insert into order_items (id, order_id, product_id, name, price, quantity)
   select gen_random_uuid(), id, gen_random_uuid(), 'Item $mark', 19.99, 2 from orders where id = ${anyOf('orders')}`,
  `delete from order_items where id = ${anyToDelete('order_items')}`,
  `insert into customers (id, email, name) values (gen_random_uuid(), 'buyer-$mark@example.com', 'Buyer $mark')`,
  `update customers set name = 'Buyer $mark' where id = ${anyOf('customers')}`,
  `delete from customers where id = ${anyToDelete('customers')}`,
  `insert into products (id, name, slug, price) values (gen_random_uuid(), 'Product $mark', 'product-$mark', 12.5)`,
  `update products set price = price + 0.1 where id = ${anyOf('products')}`,
  `delete from products where id = ${anyToDelete('products')}`,
  `insert into product_variants (id, product_id, sku, name, price)
   select gen_random_uuid(), id, 'sku-$mark', 'Variant $mark', 1234567890123456.78 from products
   where id = ${anyOf('products')}`,
  `insert into categories (id, name, slug) values (gen_random_uuid(), 'Category $mark', 'category-$mark')`,
  `delete from categories where id = ${anyToDelete('categories')}`,
]
/** The statement for stores that have addresses. */
const ADDRESS_STATEMENT = `update customer_addresses set deleted_at = now() where id = ${anyOf('customer_addresses')}`

/** Starts eight writers of orders, and four writers of all tables. `ownerUrl` is the URL of the store's owner. */
export function startShopWriters(ownerUrl: string, revision: RevisionId): Writers {
  const statements = includesRevision(revision, 'v1.1') ? [...STATEMENTS, ADDRESS_STATEMENT] : STATEMENTS
  const orders = startWriters(ownerUrl)
  const stopping = new AbortController()
  const others = Array.from({ length: WRITERS }, (_, writer) =>
    write({ ownerUrl, statements, writer, signal: stopping.signal }),
  )
  // `stop` rejects with the error of a writer.
  for (const each of others) each.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      const counts = await Promise.all([orders.stop(), ...others])
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

interface WriterOptions {
  readonly ownerUrl: string
  readonly statements: readonly string[]
  readonly writer: number
  readonly signal: AbortSignal
}

async function write({ ownerUrl, statements, writer, signal }: WriterOptions): Promise<number> {
  const sql = openClient(ownerUrl)
  const started = Date.now()
  let transactions = 0
  try {
    for (; !signal.aborted; transactions++) {
      const heldMs = Math.random() * (Math.random() < 0.1 ? LONG_MS : SHORT_MS)
      const statement = statements[Math.floor(Math.random() * statements.length)] ?? ''
      await transact(sql, statement.replaceAll('$mark', `${started}-${writer}-${transactions}`), heldMs)
      await delay(Math.random() * SHORT_MS)
    }
    return transactions
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function transact(sql: Sql, statement: string, heldMs: number): Promise<void> {
  await sql.unsafe('begin')
  await delay(heldMs / 2)
  await sql.unsafe(statement)
  await delay(heldMs / 2)
  await sql.unsafe('commit')
}
