// What people open first in a SQLite copy: orders with their customers, and a row for each line. A view has no rows of
// its own, so it is made anew each time.

/** Statements that make the views. */
export const VIEWS: readonly string[] = [
  'drop view if exists orders_overview',
  `create view orders_overview as
    select o.created_at, o.id, o.status, coalesce(c.name, o.email) as customer, coalesce(c.email, o.email) as email,
      (select count(*) from order_items i where i.order_id = o.id) as lines,
      o.subtotal, o.discount_amount, o.tax, o.shipping, o.total, o.refund_amount,
      coalesce(o.currency, (select store_currency from store)) as currency
    from orders o left join customers c on c.id = o.customer_id order by o.created_at, o.id`,
  'drop view if exists order_lines',
  `create view order_lines as
    select o.created_at, o.id as order_id, o.status, i.id, i.name, coalesce(v.sku, p.sku) as sku, i.quantity, i.price,
      coalesce(o.currency, (select store_currency from store)) as currency,
      i.product_id, i.variant_id, v.name as variant
    from order_items i
      join orders o on o.id = i.order_id
      left join products p on p.id = i.product_id
      left join product_variants v on v.id = i.variant_id
    order by o.created_at, o.id, i.created_at, i.id`,
]
