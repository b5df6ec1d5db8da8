// Reads all orders with a client of hey-api.

import { client } from './generated/client.gen'
import { listOrders } from './generated/sdk.gen'

const { BASE_URL = '', STORE_EXPORT_KEY = '' } = process.env
client.setConfig({ baseUrl: BASE_URL, auth: STORE_EXPORT_KEY })

async function main(): Promise<void> {
  const ids = new Set<string>()
  let guests = 0
  let waits = 0
  let cursor: string | undefined
  for (;;) {
    const query = cursor === undefined ? { limit: 100 } : { limit: 100, cursor }
    const { data: page, error, response } = await listOrders({ query })
    if (response?.status === 429) {
      waits++
      await new Promise((done) => setTimeout(done, Number(response.headers.get('retry-after')) * 1000))
      continue
    }
    if (page === undefined) throw new Error(`${response?.status}: ${error?.error.message}`)
    for (const order of page.data) {
      ids.add(order.id)
      if (order.customer_id === null) guests++
    }
    if (page.meta.next_cursor === null) break
    cursor = page.meta.next_cursor
  }
  console.log(JSON.stringify({ orders: ids.size, guests, waits }))
}

void main()
