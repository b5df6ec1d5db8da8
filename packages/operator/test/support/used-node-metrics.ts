// Reads the metrics of a node after valid, rejected, and failed requests.

import { createPlatform } from './real-service.ts'

const PATHS = ['/api/v1/store', '/api/v1/orders', '/api/v1/orders/x', '/api/v1/products?limit=0', '/nowhere', '/docs']

export async function metricsOfUsedNode(): Promise<string> {
  const platform = await createPlatform()
  const store = await platform.createStore({ orders: 20, customers: 5, products: 5, locations: 1, groups: 1 })
  const node = await platform.startNode()
  for (const path of PATHS) {
    await fetch(node.url + path, { headers: { 'x-api-key': store.key } })
    await fetch(node.url + path, { headers: { 'x-api-key': 'sdx_wrong' } })
    await fetch(node.url + path, { method: 'POST' })
  }
  await platform.moveStore(store, 'postgres://reader@127.0.0.1:1/gone')
  await fetch(`${node.url}/api/v1/orders`, { headers: { 'x-api-key': store.key } })
  return node.metrics()
}
