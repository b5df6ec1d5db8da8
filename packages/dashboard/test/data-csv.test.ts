import { customerGroup, location, order, product, type Resource } from '@store-export/contract'
import { StoreDatabaseFault } from '@store-export/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/demo.ts'
import { asSuperuser, cutReader, idAt, insert, readerOf } from '../../api/test/support/rows.ts'
import { openCsv } from '../src/data/csv.ts'
import { Downloads } from '../src/data/downloads.ts'
import { dataStore, openReader, type TestReader } from './data-support.ts'

const downloads = new Downloads()
const turn: Downloads['turn'] = (work) => downloads.turn(work)

const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }

let platform: TestPlatform
let stores: TestReader
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  stores = openReader(platform)
  store = await filledStore(platform, 'v1.6', SIZE)
})
afterAll(async () => {
  await stores.close()
  await platform.close()
})

async function csv(of: TestStore, resource: Resource, signal = new AbortController().signal) {
  const { source } = await dataStore(platform, stores, of)
  return openCsv({ source, resource, now: () => performance.now(), turn, signal })
}

async function whole(of: TestStore, resource: Resource): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await csv(of, resource)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The records of a file as RFC 4180 has it. */
function records(file: Buffer): string[][] {
  const text = file.toString('utf8')
  expect(text.startsWith('\uFEFF')).toBe(true)
  const all: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    all.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') all.push([])
    if (end === '') break
  }
  expect(all.pop()).toEqual([''])
  return all
}

/** Every row of a list, from the API. */
async function served(of: TestStore, path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for (let cursor = ''; ; ) {
    const { json } = await platform.get(`${path}?limit=250${cursor}`, of.key)
    rows.push(...json.data)
    if (!json.meta.has_more) return rows
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

const asCell = (value: unknown) =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
const withoutApostrophe = (text: string) => text.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '')

describe('a list as CSV', () => {
  test.each([
    ['orders', order],
    ['products', product],
    ['locations', location],
  ])('%s has every row and field that the API answers', async (name, resource) => {
    const [header, ...rows] = records(await whole(store, resource))
    const expected = await served(store, `/api/v1/${name}`)
    expect(header).toEqual(Object.keys(resource.fields))
    expect(rows.map((cells) => cells.map(withoutApostrophe))).toEqual(
      expected.map((row) => Object.keys(resource.fields).map((field) => asCell(row[field]))),
    )
  })

  test('keeps leading zeros, long numbers, negative numbers, quotes and line ends; a formula arrives as text', async () => {
    const of = await platform.provision()
    const hours = '[{"day":0,"open":"09:00","close":"18:00","closed":false,"n":12345678901234567890}]'
    const texts = {
      postal_code: '00123',
      phone: '+49 30 1',
      city: '=1+1',
      state: '-2+3',
      external_id: '12345678901234567890',
    }
    const place = {
      name: 'A "quoted",\r\nsecond line',
      latitude: '-33.8567844',
      longitude: '151.2152967',
      address1: 'Ä\rß 日本',
    }
    await insert(of, 'locations', { id: idAt(1), opening_hours: hours, ...texts, ...place })
    const [header = [], row = []] = records(await whole(of, location))
    const cell = (name: string) => row[header.indexOf(name)]
    expect(cell('name')).toBe(place.name)
    expect([cell('postal_code'), cell('external_id')]).toEqual(['00123', '12345678901234567890'])
    expect([cell('latitude'), cell('longitude')]).toEqual(['-33.8567844', '151.2152967'])
    expect([cell('city'), cell('state'), cell('phone')]).toEqual(["'=1+1", "'-2+3", "'+49 30 1"])
    expect(cell('address1')).toBe('Ä\rß 日本')
    expect(cell('opening_hours')).toContain('12345678901234567890')
    expect(cell('description')).toBe('')
  })

  test('of no rows has its header, also where an older store has no such table', async () => {
    const line = `\uFEFF${Object.keys(customerGroup.fields).join(',')}\r\n`
    for (const revision of ['v1.6', 'launch'] as const)
      expect((await whole(await platform.provision(revision), customerGroup)).toString()).toBe(line)
  })
})

describe('a download', () => {
  test('is refused before it begins where the store cannot be read', async () => {
    const of = await platform.provision()
    await asSuperuser(`alter role "${readerOf(of)}" nologin`)
    await expect(csv(of, order)).rejects.toBeInstanceOf(StoreDatabaseFault)
  })

  test('fails, and is no short file, where a later page cannot be read', async () => {
    const reader = (await csv(store, order)).getReader()
    const first = await reader.read()
    expect(first.done).toBe(false)
    await asSuperuser(`alter role "${readerOf(store)}" nologin`)
    await cutReader(store)
    await expect(reader.read()).rejects.toBeInstanceOf(StoreDatabaseFault)
    await asSuperuser(`alter role "${readerOf(store)}" login`)
  })

  test('reads the next page when the one before was taken, and none once nobody listens', async () => {
    let reads = 0
    const { source } = await dataStore(platform, stores, store)
    const read: typeof source.reader.read = (request) => {
      reads++
      return source.reader.read(request)
    }
    const reader = { ...boundTo(stores), read }
    const open = (signal: AbortSignal) =>
      openCsv({ source: { ...source, reader }, resource: order, now: () => performance.now(), turn, signal })
    const left = (await open(new AbortController().signal)).getReader()
    await left.read()
    expect(reads).toBe(1)
    await left.cancel()
    expect(reads).toBe(1)
    const abort = new AbortController()
    const aborted = (await open(abort.signal)).getReader()
    await aborted.read()
    abort.abort()
    await expect(aborted.read()).rejects.toThrow('aborted')
    expect(reads).toBe(2)
  })
})

function boundTo({ reader }: TestReader) {
  return { columns: reader.columns.bind(reader), exists: reader.exists.bind(reader) }
}
