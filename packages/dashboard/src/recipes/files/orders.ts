// Copies the orders of the store to orders.jsonl, one JSON object per line. A line replaces earlier lines with the same
// ID. Needs Node 24. Set the environment variable STORE_EXPORT_KEY to your key, then run:
//   node orders.ts
// The first run reads all orders, and later runs read changes. orders.state stores the progress, so that the next run
// continues after a run that was killed. To start again, delete both files.

import { appendFileSync, existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const address = 'https://api.example.com/api/v1/orders'
const key = process.env.STORE_EXPORT_KEY ?? ''
const [rowsFile, stateFile] = ['orders.jsonl', 'orders.state']
const attemptsMax = 8
// Maximum number of attempts if the service doesn't respond at all.
const attemptsToConnectMax = 4

interface State {
  readonly since: string
  readonly cursor: string | null
  /** Size of orders.jsonl in bytes, after the last saved page. */
  readonly bytes: number
}
interface Page {
  readonly data: readonly { readonly id: string; readonly total: string }[]
  readonly meta: { readonly next_cursor: string | null; readonly has_more: boolean }
}
interface Result {
  readonly page: Page
  readonly watermark: string
}

const start: State = { since: '1970-01-01T00:00:00Z', cursor: null, bytes: 0 }
let state = loadState()
let count = 0
// A killed run may have left part of a page, or a page whose cursor isn't saved yet.
if (existsSync(rowsFile)) truncateSync(rowsFile, state.bytes)
for (let hasMore = true; hasMore; ) {
  const { page, watermark } = await getPage(state.since, state.cursor)
  appendFileSync(rowsFile, page.data.map((order) => `${JSON.stringify(order)}\n`).join(''))
  count += page.data.length
  hasMore = page.meta.has_more
  // Save the watermark only when all pages are written.
  const since = hasMore ? state.since : watermark
  state = { since, cursor: page.meta.next_cursor, bytes: statSync(rowsFile).size }
  saveState()
}
process.stderr.write(`${count} orders; the next run requests changes since ${state.since}\n`)

async function getPage(since: string, cursor: string | null): Promise<Result> {
  const query = new URLSearchParams({ limit: '250', updated_since: since, ...(cursor === null ? {} : { cursor }) })
  for (let attempt = 1; ; attempt++) {
    const result = await request(query)
    if ('page' in result) return result
    // The service doesn't accept the saved cursor, so start the list again from the same watermark.
    if (cursor !== null && result.message.includes('INVALID_CURSOR')) return getPage(since, null)
    if (attempt >= result.attemptsMax) {
      process.stderr.write(`stopped: ${result.message}\n`)
      process.exit(1)
    }
    const wait = result.retryAfter ?? Math.min(60, 2 ** (attempt - 1))
    process.stderr.write(`waits ${wait} s: ${result.message}\n`)
    await sleep(1000 * wait)
  }
}

interface Failure {
  readonly message: string
  readonly retryAfter: number | null
  readonly attemptsMax: number
}

async function request(query: URLSearchParams): Promise<Result | Failure> {
  try {
    const signal = AbortSignal.timeout(60_000)
    const response = await fetch(`${address}?${query}`, { headers: { 'x-api-key': key }, signal })
    const text = await response.text()
    if (response.ok)
      return { page: JSON.parse(text), watermark: response.headers.get('x-sync-watermark') ?? start.since }
    const isRetried = [408, 409, 429, 502, 503, 504].includes(response.status)
    const header = response.headers.get('retry-after')
    return {
      message: `status ${response.status}: ${text}`,
      retryAfter: header === null ? null : Number(header),
      attemptsMax: isRetried ? attemptsMax : 1,
    }
  } catch (error) {
    const { message, cause } = error as Error
    const why = cause instanceof Error ? `${message} (${'code' in cause ? cause.code : cause.message})` : message
    return { message: `no response from ${address}: ${why}`, retryAfter: null, attemptsMax: attemptsToConnectMax }
  }
}

function loadState(): State {
  const saved: State =
    existsSync(stateFile) && existsSync(rowsFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : start
  // If orders.jsonl is shorter than at the last save, it lacks rows, so the run starts again.
  return saved !== start && statSync(rowsFile).size >= saved.bytes ? saved : start
}

/** The rename is atomic, so a killed run leaves the old state or the new one. */
function saveState(): void {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state))
  renameSync(`${stateFile}.new`, stateFile)
}
