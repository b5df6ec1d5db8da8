import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HostLookup, type HostLookupOptions } from './host-lookup.ts'

const TYPE_A = 1
const HEADER_BYTES = 12

/** What a name server says of a name: an IPv4 address with its time to live, that there is none, or nothing. */
type Entry = { readonly address: string; readonly ttl: number } | 'absent' | 'silent'

/** A name server; names that it does not have are absent. */
async function nameServer(entries: Readonly<Record<string, Entry>>) {
  const asked: string[] = []
  const socket = createSocket('udp4', (query, from) => {
    const { name, type, end } = questionOf(query)
    if (type === TYPE_A) asked.push(name)
    const entry = entries[name] ?? 'absent'
    if (entry !== 'silent') socket.send(responseTo(query.subarray(0, end), type, entry), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] }
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

function responseTo(query: Buffer, type: number, entry: Exclude<Entry, 'silent'>): Buffer {
  const hasAnswer = entry !== 'absent' && type === TYPE_A
  const head = Buffer.from(query)
  head.writeUInt16BE(entry === 'absent' ? 0x8183 : 0x8180, 2)
  for (const [at, count] of [
    [4, 1],
    [6, hasAnswer ? 1 : 0],
    [8, 0],
    [10, 0],
  ] as const)
    head.writeUInt16BE(count, at)
  if (!hasAnswer) return head
  const record = Buffer.from([
    0xc0,
    HEADER_BYTES,
    0,
    TYPE_A,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    4,
    ...entry.address.split('.').map(Number),
  ])
  record.writeUInt32BE(entry.ttl, 6)
  return Buffer.concat([head, record])
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

describe('a host name', () => {
  test('[ERR-3] whose name server hangs is asked for once at a time, fails in time and delays no other name', async () => {
    const { asked, servers } = await nameServer({
      'hangs.test': 'silent',
      'well.test': { address: '10.0.0.1', ttl: 60 },
    })
    const lookup = await lookupWith({ servers, timeoutMs: 1000 })
    const since = performance.now()
    const hanging = Array.from({ length: 20 }, () =>
      expect(lookup.resolve('hangs.test')).rejects.toThrow(
        'the host name hangs.test could not be resolved: the name server did not answer in time',
      ),
    )
    expect(await addressesOf(lookup, 'well.test')).toEqual(['10.0.0.1'])
    expect(performance.now() - since).toBeLessThan(500)
    await Promise.all(hanging)
    expect(performance.now() - since).toBeLessThan(2000)
    // one query, repeated once
    expect(asked.filter((name) => name === 'hangs.test').length).toBeLessThanOrEqual(2)
  })

  test('is resolved again after its time to live', async () => {
    const { asked, servers } = await nameServer({
      'long.test': { address: '10.0.0.1', ttl: 60 },
      'short.test': { address: '10.0.0.2', ttl: 0 },
    })
    const lookup = await lookupWith({ servers })
    for (let n = 0; n < 3; n++)
      expect([await addressesOf(lookup, 'long.test'), await addressesOf(lookup, 'SHORT.test')]).toEqual([
        ['10.0.0.1'],
        ['10.0.0.2'],
      ])
    expect(asked.filter((name) => name === 'long.test')).toHaveLength(1)
    expect(asked.filter((name) => name === 'short.test')).toHaveLength(3)
  })

  test('in /etc/hosts is not asked for, nor is localhost', async () => {
    const { asked, servers } = await nameServer({})
    const lookup = await lookupWith({ servers }, '# shops\n10.1.2.3  db1.test db1 # the first\n::9 db1\n')
    expect(await addressesOf(lookup, 'db1')).toEqual(['10.1.2.3', '::9'])
    expect(await addressesOf(lookup, 'localhost')).toEqual(['127.0.0.1', '::1'])
    expect(asked).toEqual([])
  })

  test('is completed with the search domains, before or after it is tried as it is', async () => {
    const entry = { address: '10.0.0.1', ttl: 0 }
    const { asked, servers } = await nameServer({ 'db.b.test': entry, 'db.shop.b.test': entry })
    const lookup = await lookupWith({ servers }, '', 'search a.test b.test\noptions ndots:2\n')
    expect(await addressesOf(lookup, 'db')).toEqual(['10.0.0.1'])
    expect(await addressesOf(lookup, 'db.shop')).toEqual(['10.0.0.1'])
    await expect(lookup.resolve('db.c.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(lookup.resolve('db.')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(asked).toEqual([
      ...['db.a.test', 'db.b.test'],
      ...['db.shop.a.test', 'db.shop.b.test'],
      ...['db.c.test', 'db.c.test.a.test', 'db.c.test.b.test'],
      'db',
    ])
  })
})
