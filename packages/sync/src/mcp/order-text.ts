// Writes the text of the tool `order`.

import { objectsOf, SELECT_FEWER } from './result-text.ts'
import { selectColumns } from './select-columns.ts'
import type { ReadCopy, ToolText } from './tool-text.ts'

/**
 * Returns the order and its line items as JSON lines without nulls. Says how to query items that were cut. Says so if
 * the copy has no such order, or if the order's row is too long for a result.
 */
export async function orderText(id: string, read: ReadCopy): Promise<ToolText> {
  const { readable } = await read([])
  const reading = await read([
    { sql: `select ${selectColumns('orders', readable)} from orders where id = ?`, values: [id] },
    {
      sql: `select ${selectColumns('order_items', readable)} from order_items where order_id = ? order by created_at, id`,
      values: [id],
    },
  ])
  const [orders, items] = reading.results
  const [order] = orders === undefined ? [] : objectsOf(orders)
  if (order === undefined && orders?.isCut)
    return { text: `The copy has the order ${id}, but its row is too long for a result. ${SELECT_FEWER}`, reading }
  if (order === undefined || items === undefined) return { text: `The copy has no order ${id}.`, reading }
  const lines = objectsOf(items).map(({ order_id: _, ...item }) => JSON.stringify(item))
  const rest = `Cut after ${lines.length} items. To get the rest, use query: select * from order_items where order_id = '${id}' order by created_at, id limit 20 offset ${lines.length}`
  const text = ['Order:', JSON.stringify(order), 'Items:', ...lines, ...(items.isCut ? [rest] : [])].join('\n')
  return { text, reading }
}
