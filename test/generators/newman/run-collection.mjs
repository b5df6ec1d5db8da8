// Runs the Postman collection with newman. The request "Read all orders" reads every page.

import newman from 'newman'

const { BASE_URL, STORE_EXPORT_KEY, COLLECTION } = process.env
const ids = new Set()
let guests = 0
let waits = 0
const variables = { baseUrl: BASE_URL, apiKey: STORE_EXPORT_KEY }
const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }))
const summary = await new Promise((resolve, reject) => {
  newman
    .run({ collection: COLLECTION, reporters: 'cli', envVar })
    .on('request', (_, { item, response }) => {
      if (response?.code === 429) waits++
      if (response?.code !== 200 || item.name !== 'Read all orders') return
      for (const order of response.json().data) {
        ids.add(order.id)
        if (order.customer_id === null) guests++
      }
    })
    .on('done', (error, done) => (error ? reject(error) : resolve(done)))
})
for (const { error, source } of summary.run.failures) console.error(`${source?.name}: ${error.message}`)
if (summary.run.failures.length > 0) process.exit(1)
console.log(JSON.stringify({ orders: ids.size, guests, waits }))
