// Orders changed since a moment, oldest first, one JSON object a line. Needs Node 24 and nothing else; the variable
// STORE_EXPORT_KEY holds the key:
//   node orders.ts 2026-07-01T00:00:00Z > orders.jsonl
// At its end it names the moment to give to the next run, so that no change is missed. Rows replace those with the same id.

import { setTimeout as sleep } from 'node:timers/promises'

const address = 'https://api.example.com/api/v1/orders'
const key = process.env.STORE_EXPORT_KEY ?? ''
const since = process.argv[2] ?? '1970-01-01T00:00:00Z'
const triesMax = 6

interface Page {
  readonly data: readonly { readonly id: string; readonly total: string }[]
  readonly meta: { readonly next_cursor: string | null; readonly has_more: boolean }
}

let place: { cursor?: string } | null = {}
let watermark: string | null = null
while (place !== null) {
  const response = await getPage(place)
  const { data, meta } = (await response.json()) as Page
  for (const order of data) process.stdout.write(`${JSON.stringify(order)}\n`)
  watermark = response.headers.get('x-sync-watermark')
  place = meta.next_cursor === null ? null : { cursor: meta.next_cursor }
}
process.stderr.write(`next run: node orders.ts ${watermark}\n`)

async function getPage(place: { cursor?: string }): Promise<Response> {
  const query = new URLSearchParams({ limit: '250', updated_since: since, ...place })
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${address}?${query}`, { headers: { 'x-api-key': key } })
    if (response.ok) return response
    if (![409, 429, 502].includes(response.status) || attempt === triesMax)
      throw new Error(`stopped with status ${response.status}: ${await response.text()}`)
    const retryAfter = Number(response.headers.get('retry-after') ?? 1)
    await sleep(1000 * (response.status === 429 ? retryAfter : 2 ** (attempt - 1)))
  }
}
