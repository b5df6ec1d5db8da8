// Runs the baseline of a sync: a process that fetches the same pages one after another and drops each body, with or
// without parsing.

import { handleCalls } from '../lib/child-calls.ts'

/** The service, the lists to read, and whether to parse their bodies. */
export interface FetchWalk {
  readonly url: string
  readonly key: string
  readonly parses: boolean
  /** The lists; `LISTS` by default. */
  readonly lists?: readonly string[]
}

/** What a process read, and what this cost. */
export interface FetchWalked {
  readonly wallMs: number
  /** Processor time of the process, in ms. */
  readonly cpuMs: number
  readonly pages: number
  /** Length of the bodies in UTF-16 units. This is their number of bytes if they are ASCII. */
  readonly bytes: number
}

const LISTS = ['customer-groups', 'locations', 'categories', 'customer-addresses', 'orders', 'products', 'customers']
/** Number of characters at the end of a body that contain its `meta`, with the whole cursor. */
const TAIL = 200

handleCalls({ walk }, async () => undefined)

/** Reads each list to its end. */
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
