// Creates stores that differ only in a tag in their rows, and clients that read all of them over the same connections.
// A row of another store has another tag.

import { randomInt } from 'node:crypto'
import http from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { type FleetStore, ownerOf, type TestFleet } from './fleet.ts'

/** A store, its keys, and the tag of its rows. */
export interface TaggedStore {
  readonly id: string
  readonly tag: string
  readonly keys: readonly string[]
}

const STORES = 20
/** Requests at once. Fewer than 40 of them wait for the 20 connections of a node, so the node rejects none. */
const CONNECTIONS = 48
const SIZE = { orders: 40, customers: 20, products: 12, locations: 2, groups: 2 }
/** The field with the tag, by list. */
const TAGGED = {
  orders: 'email',
  customers: 'email',
  products: 'name',
  categories: 'name',
  locations: 'name',
  'customer-groups': 'name',
  'customer-addresses': 'city',
} as const

/** Creates twenty stores with the same rows and IDs, and with their own tag in every row. */
export async function addTaggedStores(fleet: TestFleet): Promise<TaggedStore[]> {
  const stores: TaggedStore[] = []
  for (let index = 0; index < STORES; index += 1) {
    const store = await fleet.addStore({ size: SIZE })
    const tag = `tag-${String(index).padStart(2, '0')}-`
    await tagRows(store, tag)
    stores.push({ id: store.id, tag, keys: [store.key, (await fleet.createKey(store.id)).key] })
  }
  return stores
}

async function tagRows(store: FleetStore, tag: string): Promise<void> {
  const owner = ownerOf(store)
  for (const [list, column] of Object.entries(TAGGED)) {
    const table = list.replaceAll('-', '_')
    await owner.unsafe(`update ${table} set ${column} = '${tag}' || ${column}`)
  }
}

/**
 * Sends `count` requests for random stores and paths. Returns the number of checked rows. Rejects for a row of another
 * store.
 */
export async function readShuffled(url: string, stores: readonly TaggedStore[], count: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  const places = new Map<string, string[]>()
  let left = count
  let rows = 0
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const read = await readOne({ agent, url, store: oneOf(stores), places })
      rows += read
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  } finally {
    agent.destroy()
  }
  return rows
}

interface ReadContext {
  readonly agent: http.Agent
  readonly url: string
  readonly store: TaggedStore
  /** Paths from earlier responses: next pages and single objects, by store and list. */
  readonly places: Map<string, string[]>
}

async function readOne({ agent, url, store, places }: ReadContext): Promise<number> {
  const list = oneOf(Object.keys(TAGGED) as (keyof typeof TAGGED)[])
  const known = places.get(`${store.tag}${list}`) ?? []
  // Half of the paths are the same for every store, so that a cache could confuse them.
  const path = known.length > 0 && randomInt(2) === 0 ? oneOf(known) : `/api/v1/${list}?limit=${oneOf([1, 3, 7])}`
  const { status, body } = await get({ agent, url: url + path, key: oneOf(store.keys) })
  expect(status, path).toBe(200)
  const { data, meta } = JSON.parse(body)
  const rows = Array.isArray(data) ? data : [data]
  for (const row of rows)
    if (!String(row[TAGGED[list]]).startsWith(store.tag))
      throw new Error(`${path} for ${store.tag} has a row of ${String(row[TAGGED[list]])}`)
  const next = meta?.has_more === true ? [`/api/v1/${list}?limit=3&cursor=${meta.next_cursor}`] : []
  const single = ['orders', 'customers', 'products'].includes(list) ? rows.map(({ id }) => `/api/v1/${list}/${id}`) : []
  places.set(`${store.tag}${list}`, [...new Set([...known, ...next, ...single])].slice(-20))
  return rows.length
}

function get({ agent, url, key }: { agent: http.Agent; url: string; key: string }) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const headers = { 'x-api-key': key, ...(randomInt(2) === 0 ? { 'accept-encoding': 'gzip' } : {}) }
    const request = http.get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const whole = Buffer.concat(chunks)
        const body = response.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole
        resolve({ status: response.statusCode ?? 0, body: body.toString() })
      })
    })
    request.on('error', reject)
  })
}

function oneOf<T>(all: readonly T[]): T {
  const found = all[randomInt(all.length)]
  if (found === undefined) throw new Error('the list is empty')
  return found
}
