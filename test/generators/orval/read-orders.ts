// Reads all orders with a fetch client of orval.

import { listOrders } from './generated/client'

const { STORE_EXPORT_KEY = '' } = process.env

async function main(): Promise<void> {
  const ids = new Set<string>()
  let guests = 0
  let waits = 0
  let cursor: string | undefined
  for (;;) {
    const query = cursor === undefined ? { limit: 100 } : { limit: 100, cursor }
    const response = await listOrders(query, { headers: { 'x-api-key': STORE_EXPORT_KEY } })
    if (response.status === 429) {
      waits++
      await new Promise((done) => setTimeout(done, Number(response.headers.get('retry-after')) * 1000))
      continue
    }
    if (response.status !== 200) throw new Error(`${response.status}: ${response.data.error.message}`)
    const { data: rows, meta } = response.data
    for (const order of rows) {
      ids.add(order.id)
      if (order.customer_id === null) guests++
    }
    if (meta.next_cursor === null) break
    cursor = meta.next_cursor
  }
  console.log(JSON.stringify({ orders: ids.size, guests, waits }))
}

void main()
