// Defines the views of a SQLite copy: orders with their customers, and one row for each order line.

export interface SqliteView {
  readonly name: string
  /** Query of the view, in SQL. */
  readonly select: string
}

/** SQL expressions for the amounts of the views. */
interface Amounts {
  /** Returns the expression for the column `name` of the table `from`. */
  readonly amount: (from: string, name: string) => string
  /** Price times quantity of the line `i`. */
  readonly lineTotal: string
  /** Whether the views also have columns of cents. */
  readonly hasCents: boolean
}

/** Names of the amounts in the view `orders_overview`. */
const OVERVIEW_AMOUNTS = ['subtotal', 'discount_amount', 'tax', 'shipping', 'total', 'refund_amount']
/** Total of the line `i` in cents; null for more than 15 digits, like all columns of cents. */
const LINE_CENTS = 'iif(abs(i.quantity * i.price_cents) < 1e15, i.quantity * i.price_cents, null)'

/** Views for queries. Each amount has a column with the number and a column with whole cents. */
export const VIEWS: readonly SqliteView[] = viewsOf({
  amount: (from, name) => `${from}.${name}`,
  // Cents are exact. An amount of more than 15 digits has none, so its number is used.
  lineTotal: 'i.quantity * coalesce(i.price_cents, i.price * 100) / 100.0',
  hasCents: true,
})

/**
 * Views for the files of a CSV, XLSX or Parquet copy. Amounts are strings with the digits that the service sent. Only
 * the line's total is computed, from cents, and is null for more than 15 digits.
 */
export const FILE_VIEWS: readonly SqliteView[] = viewsOf({
  amount: (from, name) => `${from}.${name}_text as ${name}`,
  lineTotal: `(select case when cents is not null then iif(cents < 0, '-', '') || printf('%d.%02d', abs(cents) / 100, abs(cents) % 100) end
        from (select ${LINE_CENTS} as cents))`,
  hasCents: false,
})

function viewsOf({ amount, lineTotal, hasCents }: Amounts): SqliteView[] {
  const orderCents = hasCents ? OVERVIEW_AMOUNTS.map((name) => `, o.${name}_cents`).join('') : ''
  const lineCents = hasCents ? `, i.price_cents, ${LINE_CENTS} as line_total_cents` : ''
  const currency = 'coalesce(o.currency, (select store_currency from store)) as currency'
  return [
    {
      name: 'orders_overview',
      select: `
    select o.created_at, o.id, o.status, coalesce(c.name, o.email) as customer, coalesce(c.email, o.email) as email,
      (select count(*) from order_items i where i.order_id = o.id) as lines,
      ${OVERVIEW_AMOUNTS.map((name) => amount('o', name)).join(', ')}, ${currency}${orderCents}
    from orders o left join customers c on c.id = o.customer_id order by o.created_at, o.id`,
    },
    {
      name: 'order_lines',
      select: `
    select o.created_at, o.id as order_id, o.status, i.id, i.name, coalesce(v.sku, p.sku) as sku, i.quantity,
      ${amount('i', 'price')}, ${currency},
      i.product_id, i.variant_id, v.name as variant, ${lineTotal} as line_total${lineCents}
    from order_items i
      join orders o on o.id = i.order_id
      left join products p on p.id = i.product_id
      left join product_variants v on v.id = i.variant_id
    order by o.created_at, o.id, i.created_at, i.id`,
    },
  ]
}
