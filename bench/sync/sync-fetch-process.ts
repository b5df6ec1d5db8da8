// The measure of a run: the same pages, fetched one after the other in a process of its own, each body read whole as text
// and dropped, or parsed and dropped.

import { answerCalls } from '../lib/child-calls.ts'

/** Which lists to walk, and what becomes of a body. */
export interface FetchWalk {
  readonly url: string
  readonly key: string
  readonly parses: boolean
  /** Every list unless said. */
  readonly lists?: readonly string[]
}

/** What a walk took. */
export interface FetchWalked {
  readonly wallMs: number
  /** Processor time of the process. */
  readonly cpuMs: number
  readonly pages: number
  readonly bytes: number
}

const LISTS = ['customer-groups', 'locations', 'categories', 'customer-addresses', 'orders', 'products', 'customers']
const TAIL = 200

answerCalls({ walk }, async () => undefined)

/** Walks every list to its end. */
async function walk({ url, key, parses, lists = LISTS }: FetchWalk): Promise<FetchWalked> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  let [pages, bytes] = [0, 0]
  for (const list of lists) {
    let cursor: string | null = ''
    while (cursor !== null) {
      const path: string = `${url}/api/v1/${list}?limit=250${cursor === '' ? '' : `&cursor=${cursor}`}`
      const text = await (await fetch(path, { headers: { 'x-api-key': key } })).text()
      if (parses) JSON.parse(text)
      cursor = /"next_cursor":"([^"]+)"/.exec(text.slice(-TAIL))?.[1] ?? null
      pages += 1
      bytes += text.length
    }
  }
  const { user, system } = process.cpuUsage(before)
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000, pages, bytes }
}
