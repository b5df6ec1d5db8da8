// Writes the text of the tool `customer`.

import { objectsOf, SELECT_FEWER } from './result-text.ts'
import { selectColumns } from './select-columns.ts'
import type { ReadCopy, ToolText } from './tool-text.ts'

const ORDERS_MAX = 10
/** SQL expression for the sum of `total_cents` as a decimal string. Amounts that are too long for cents don't count. */
const TOTAL = `printf('%s%d.%02d', iif(sum(total_cents) < 0, '-', ''), abs(sum(total_cents)) / 100, abs(sum(total_cents)) % 100)`

/**
 * Returns a customer with the group, at most 20 addresses, order totals, and the latest 10 orders, as JSON lines
 * without nulls. An email address is compared without the case of ASCII letters. If several customers have it, returns
 * one of them. Says so if the copy has no such customer, or if the customer's row is too long for a result.
 */
export async function customerText(
  by: { readonly id: string } | { readonly email: string },
  read: ReadCopy,
): Promise<ToolText> {
  const { readable } = await read([])
  const [where, value] = 'id' in by ? ['id = ?', by.id] : ['lower(email) = lower(?)', by.email.trim()]
  const select = `select ${selectColumns('customers', readable)} from customers where ${where}`
  const found = await read([{ sql: select, values: [value] }])
  const [customer] = found.results.flatMap(objectsOf)
  if (customer === undefined && found.results.some(({ isCut }) => isCut))
    return {
      text: `The copy has this customer, but the row is too long for a result. ${SELECT_FEWER}`,
      reading: found,
    }
  if (customer === undefined)
    return {
      text: `The copy has no such customer. Guests, who order without an account, are no customers.`,
      reading: found,
    }
  const values = [String(customer.id)]
  const reading = await read([
    // Only so that the time of the result, which depends on the tables of this reading, covers the customer, too.
    { sql: select, values: [value] },
    { sql: 'select name from customer_groups where id = ?', values: [String(customer.group_id ?? '')] },
    {
      sql: `select ${selectColumns('customer_addresses', readable)} from customer_addresses where customer_id = ? order by created_at, id limit 20`,
      values,
    },
    {
      sql: `select coalesce(currency, (select store_currency from store)) as currency, status, count(*) as orders, ${TOTAL} as total
        from orders where customer_id = ? group by 1, 2 order by 1, 2`,
      values,
    },
    {
      sql: `select id, created_at, status, total_text as total from orders where customer_id = ? order by created_at desc, id limit ${ORDERS_MAX}`,
      values,
    },
  ])
  const [, groups = [], addresses = [], totals = [], orders = []] = reading.results.map(objectsOf)
  const [, , , counted] = reading.results
  const lines = (title: string, rows: readonly object[]) =>
    rows.length === 0 ? [] : [title, ...rows.map((row) => JSON.stringify(row))]
  const text = [
    ...lines('Customer:', [customer]),
    ...lines('Group:', groups),
    ...lines('Addresses:', addresses),
    ...lines('Orders by currency and status:', totals),
    ...lines(`Latest orders, at most ${ORDERS_MAX}:`, orders),
    ...(totals.length === 0 && counted?.isCut === false ? ['No orders.'] : []),
    ...(reading.results.some(({ isCut }) => isCut) ? ['Cut: the result is too long. Use query for the rest.'] : []),
  ]
  return { text: text.join('\n'), reading }
}
