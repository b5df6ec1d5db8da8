// Defines the views of a copy in a database with exact decimals (PostgreSQL, MySQL, MariaDB, and DuckDB): orders with
// their customers, and one row for each order line. Users grant privileges on the views and build their own views on
// them, so `create or replace` must work. For this reason, a newer version can only add columns at the end.

/** A view that a copy creates, and the tables that it reads. */
export interface DatabaseView {
  readonly name: string
  /** Tables that the view reads. The copy creates the view when all of them exist. */
  readonly reads: readonly string[]
  /** Returns the query of the view. `schema` is the name of the schema, quoted if SQL requires it. */
  readonly select: (schema: string) => string
}

/** Every view of a copy in a database with exact decimals. */
export const DATABASE_VIEWS: readonly DatabaseView[] = [
  {
    name: 'orders_overview',
    reads: ['store', 'customers', 'orders', 'order_items'],
    select: (schema) => `
      select o.created_at, o.id, o.status, coalesce(c.name, o.email) as customer, coalesce(c.email, o.email) as email,
        (select count(*) from ${schema}.order_items i where i.order_id = o.id) as "lines",
        o.subtotal, o.discount_amount, o.tax, o.shipping, o.total, o.refund_amount,
        coalesce(o.currency, (select store_currency from ${schema}.store)) as currency
      from ${schema}.orders o left join ${schema}.customers c on c.id = o.customer_id
      order by o.created_at, o.id`,
  },
  {
    name: 'order_lines',
    reads: ['store', 'products', 'product_variants', 'orders', 'order_items'],
    select: (schema) => `
      select o.created_at, o.id as order_id, o.status, i.id, i.name, coalesce(v.sku, p.sku) as sku, i.quantity,
        i.price, coalesce(o.currency, (select store_currency from ${schema}.store)) as currency,
        i.product_id, i.variant_id, v.name as variant, i.quantity * i.price as line_total
      from ${schema}.order_items i
        join ${schema}.orders o on o.id = i.order_id
        left join ${schema}.products p on p.id = i.product_id
        left join ${schema}.product_variants v on v.id = i.variant_id
      order by o.created_at, o.id, i.created_at, i.id`,
  },
]
