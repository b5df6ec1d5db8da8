// Serves a generated store in a separate process. It repeats the pages of a real service with other IDs, so that a
// large store needs neither a database nor memory. Its data never changes.

import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { handleCalls } from '../lib/child-calls.ts'
import { PageTemplate } from './sync-pages.ts'

/** The service whose pages are the templates, and the size of the generated store. */
export interface GeneratorStart {
  /** URL of a service whose pages are the templates. */
  readonly url: string
  readonly key: string
  readonly orders: number
}

/** Pages of lists that were sent, and the bytes of all responses. */
export interface Served {
  readonly pages: number
  /** Number of rows of all tables, including embedded rows. */
  readonly rows: number
  readonly bytes: number
}

/** Rows of each list for one order, in the ratio that the templates' store has. The other lists have one page. */
const ROWS_PER_ORDER: Readonly<Record<string, number>> = {
  orders: 1,
  customers: 1 / 5,
  'customer-addresses': 1 / 5,
  products: 1 / 40,
}
const SMALL_LISTS = ['customer-groups', 'locations', 'categories']
const PAGE_ROWS = 250
/** Maximum number of pages of each list that take turns. */
const TEMPLATES_MOST = 20
const EMPTY = Buffer.from('{"data":[],"meta":{"next_cursor":null,"has_more":false}}')

interface GeneratedList {
  readonly templates: readonly PageTemplate[]
  readonly pages: number
}

const lists = new Map<string, GeneratedList>()
const watermark = new Date().toISOString()
let store = Buffer.alloc(0)
let served: Served = { pages: 0, rows: 0, bytes: 0 }
const server = http.createServer((request, response) => {
  const { searchParams, pathname } = new URL(request.url ?? '/', 'http://localhost')
  const body = bodyOf(pathname.replace('/api/v1/', ''), searchParams)
  served = { ...served, bytes: served.bytes + body.length }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('x-sync-watermark', watermark)
  response.end(body)
})

handleCalls({ start, takeServed }, async () => void server.close())

/** Reads the templates and listens. Returns the address. */
async function start({ url, key, orders }: GeneratorStart): Promise<string> {
  const fetchText = async (path: string) => {
    const response = await fetch(`${url}/api/v1/${path}`, { headers: { 'x-api-key': key } })
    if (!response.ok) throw new Error(`${response.status} for ${path}`)
    return response.text()
  }
  store = Buffer.from(await fetchText('store'))
  for (const name of SMALL_LISTS) lists.set(name, { templates: await templatesOf(fetchText, name, 1), pages: 1 })
  for (const [name, ratio] of Object.entries(ROWS_PER_ORDER)) {
    const templates = await templatesOf(fetchText, name, TEMPLATES_MOST)
    lists.set(name, { templates, pages: Math.max(1, Math.round((orders * ratio) / PAGE_ROWS)) })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns what was sent after the last call. */
async function takeServed(): Promise<Served> {
  const taken = served
  served = { pages: 0, rows: 0, bytes: 0 }
  return taken
}

async function templatesOf(fetchText: (path: string) => Promise<string>, list: string, most: number) {
  const templates: PageTemplate[] = []
  let cursor: string | null = null
  do {
    const text: string = await fetchText(`${list}?limit=${PAGE_ROWS}${cursor === null ? '' : `&cursor=${cursor}`}`)
    templates.push(new PageTemplate(text))
    cursor = /"next_cursor":"([^"]+)"/.exec(text.slice(-200))?.[1] ?? null
  } while (cursor !== null && templates.length < most)
  // The last page of a short list is not full. If it is also the first page, it is the only one.
  return templates.length > 1 && cursor === null ? templates.slice(0, -1) : templates
}

function bodyOf(path: string, query: URLSearchParams): Buffer {
  if (path === 'store') return store
  const list = lists.get(path)
  // A sync that requests changes gets none, because the data never changes.
  if (list === undefined || query.has('updated_since') || query.has('created_since')) return EMPTY
  const index = Number(query.get('cursor') ?? '0')
  const template = list.templates[index % list.templates.length]
  if (template === undefined) return EMPTY
  served = { ...served, pages: served.pages + 1, rows: served.rows + template.rows }
  return template.make(index, index + 1 < list.pages ? String(index + 1) : null)
}
