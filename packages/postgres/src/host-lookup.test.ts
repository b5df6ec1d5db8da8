import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HostLookup, type HostLookupOptions } from './host-lookup.ts'

const TYPE_A = 1
const HEADER_BYTES = 12

/**
 * What a name server returns for a name: an IPv4 address with its time to live, an error, or nothing. The IPv4 address
 * is sent after `late`. With `ipv6`, the name has an IPv6 address, too.
 */
type Entry =
  | { readonly address: string; readonly ttl: number; readonly ipv6?: true; readonly late?: Promise<unknown> }
  | 'absent'
  | 'failing'
  | 'silent'

/** Starts a name server. A name without an entry is absent. */
async function nameServer(entries: Readonly<Record<string, Entry>>) {
  const queriedNames: string[] = []
  const socket = createSocket('udp4', async (query, from) => {
    const { name, type, end } = questionOf(query)
    if (type === TYPE_A) queriedNames.push(name)
    const entry = entries[name] ?? 'absent'
    if (entry === 'silent') return
    if (typeof entry === 'object' && type === TYPE_A) await entry.late
    socket.send(responseTo(query.subarray(0, end), type, entry), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { queriedNames, servers: [`127.0.0.1:${socket.address().port}`] }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const RESPONSE_CODES = { answered: 0x8180, failing: 0x8182, absent: 0x8183 }

function responseTo(query: Buffer, type: number, entry: Exclude<Entry, 'silent'>): Buffer {
  const address = typeof entry === 'string' ? null : addressBytes(entry, type)
  const head = Buffer.from(query)
  head.writeUInt16BE(RESPONSE_CODES[typeof entry === 'string' ? entry : 'answered'], 2)
  for (const [at, count] of [
    [4, 1],
    [6, address === null ? 0 : 1],
    [8, 0],
    [10, 0],
  ] as const)
    head.writeUInt16BE(count, at)
  if (address === null || typeof entry === 'string') return head
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc000 + HEADER_BYTES, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(entry.ttl, 6)
  record.writeUInt16BE(address.length, 10)
  return Buffer.concat([head, record, address])
}

/** Returns the IPv4 address of a name, or `::1` as its IPv6 address; null if it has no IPv6 address. */
function addressBytes(entry: Exclude<Entry, string>, type: number): Buffer | null {
  if (type === TYPE_A) return Buffer.from(entry.address.split('.').map(Number))
  return entry.ipv6 === true ? Buffer.concat([Buffer.alloc(15), Buffer.from([1])]) : null
}

async function lookupWith(options: Partial<HostLookupOptions>, hosts = '', resolv = ''): Promise<HostLookup> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lookup-'))
  const [hostsFile, resolvFile] = [path.join(folder, 'hosts'), path.join(folder, 'resolv.conf')]
  await writeFile(hostsFile, hosts)
  await writeFile(resolvFile, resolv)
  return new HostLookup({ hostsFile, resolvFile, ...options })
}

const addressesOf = async (lookup: HostLookup, host: string) =>
  (await lookup.resolve(host)).map(({ address }) => address)

describe('lookups of host names', () => {
  test('[ERR-3] if the DNS server does not respond for one host, lookups of this host fail within two seconds, and lookups of other hosts succeed', async () => {
    const { queriedNames, servers } = await nameServer({
      'hangs.test': 'silent',
      'well.test': { address: '10.0.0.1', ttl: 60 },
    })
    const lookup = await lookupWith({ servers, timeoutMs: 1000 })
    const since = performance.now()
    const hanging = Array.from({ length: 20 }, () =>
      expect(lookup.resolve('hangs.test')).rejects.toThrow(
        'the host name hangs.test could not be resolved: the name server did not respond in time',
      ),
    )
    expect(await addressesOf(lookup, 'well.test')).toEqual(['10.0.0.1'])
    expect(performance.now() - since).toBeLessThan(500)
    await Promise.all(hanging)
    expect(performance.now() - since).toBeLessThan(2000)
    // The lookup repeats its query once.
    expect(queriedNames.filter((name) => name === 'hangs.test').length).toBeLessThanOrEqual(2)
  })

  test("lookups of a host query the name server again only after the time to live of the host's DNS record has passed", async () => {
    const { queriedNames, servers } = await nameServer({
      'long.test': { address: '10.0.0.1', ttl: 60 },
      'short.test': { address: '10.0.0.2', ttl: 0 },
    })
    const lookup = await lookupWith({ servers })
    for (let n = 0; n < 3; n++)
      expect([await addressesOf(lookup, 'long.test'), await addressesOf(lookup, 'SHORT.test')]).toEqual([
        ['10.0.0.1'],
        ['10.0.0.2'],
      ])
    expect(queriedNames.filter((name) => name === 'long.test')).toHaveLength(1)
    expect(queriedNames.filter((name) => name === 'short.test')).toHaveLength(3)
  })

  test('[ERR-3] if the IPv4 address of a host arrives shortly after the IPv6 address, the lookup returns both addresses', async () => {
    const entry = { address: '10.0.0.1', ttl: 60, ipv6: true } as const
    const { promise: never } = Promise.withResolvers<void>()
    const { queriedNames, servers } = await nameServer({
      'slow.test': { ...entry, late: delay(150) },
      'silent.test': { ...entry, late: never },
    })
    const lookup = await lookupWith({ servers })
    expect(await addressesOf(lookup, 'slow.test')).toEqual(['10.0.0.1', '::1'])
    for (let n = 0; n < 2; n++) expect(await addressesOf(lookup, 'silent.test')).toEqual(['::1'])
    expect(queriedNames.filter((name) => name === 'silent.test').length).toBeGreaterThanOrEqual(2)
  })

  test('[ERR-3] if the DNS server returns an error for one search domain, the lookup tries the other search domains and the bare host name', async () => {
    const { queriedNames, servers } = await nameServer({
      'db.shop.a.test': 'failing',
      'db.shop': { address: '10.0.0.1', ttl: 0 },
      'gone.shop.a.test': 'failing',
    })
    const lookup = await lookupWith({ servers }, '', 'search a.test b.test\noptions ndots:5\n')
    expect(await addressesOf(lookup, 'db.shop')).toEqual(['10.0.0.1'])
    await expect(lookup.resolve('gone.shop')).rejects.toMatchObject({ code: 'ESERVFAIL' })
    expect([...new Set(queriedNames)]).toEqual([
      ...['db.shop.a.test', 'db.shop.b.test', 'db.shop'],
      ...['gone.shop.a.test', 'gone.shop.b.test', 'gone.shop'],
    ])
  })

  test('if a host is localhost or listed in the hosts file, a lookup does not query the DNS server', async () => {
    const { queriedNames, servers } = await nameServer({})
    const lookup = await lookupWith({ servers }, '# shops\n10.1.2.3  db1.test db1 # the first\n::9 db1\n')
    expect(await addressesOf(lookup, 'db1')).toEqual(['10.1.2.3', '::9'])
    expect(await addressesOf(lookup, 'localhost')).toEqual(['127.0.0.1', '::1'])
    expect(queriedNames).toEqual([])
  })

  test('if resolv.conf has search domains, ndots decides whether a host is tried first with or without a search domain', async () => {
    const entry = { address: '10.0.0.1', ttl: 0 }
    const { queriedNames, servers } = await nameServer({ 'db.b.test': entry, 'db.shop.b.test': entry })
    const lookup = await lookupWith({ servers }, '', 'search a.test b.test\noptions ndots:2\n')
    expect(await addressesOf(lookup, 'db')).toEqual(['10.0.0.1'])
    expect(await addressesOf(lookup, 'db.shop')).toEqual(['10.0.0.1'])
    await expect(lookup.resolve('db.c.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(lookup.resolve('db.')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(queriedNames).toEqual([
      ...['db.a.test', 'db.b.test'],
      ...['db.shop.a.test', 'db.shop.b.test'],
      ...['db.c.test', 'db.c.test.a.test', 'db.c.test.b.test'],
      'db',
    ])
  })
})
