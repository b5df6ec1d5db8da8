import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, Pool, parseConnectionUrl, queryRows, sql, withPassword } from '@store-export/postgres'
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import { startUnresponsiveHost } from '../../../../test/support/unresponsive-host.ts'
import type { StoreEvent } from '../store-event.ts'
import { type StoreAddress, StorePools } from './store-pools.ts'

const BOUNDS = {
  storePoolSize: 2,
  storeConnectionsMax: 4,
  storeServerConnectionsMax: 4,
  storeQueueMax: 1,
  storeQueueWaitMs: 1000,
  storeIdleSeconds: 60,
  storeTimeoutMs: 5000,
  storeSessionSettings: true,
}
/** The tests don’t encrypt passwords. */
const connectionUrl = ({ databaseUrl, encryptedPassword }: StoreAddress) => withPassword(databaseUrl, encryptedPassword)

let events: StoreEvent[]
let pools: StorePools
beforeEach(() => {
  events = []
})
afterEach(async () => {
  await pools.close()
  vi.useRealTimers()
})

/** Starts the pools on the clock of the test. */
function startPools(bounds: Partial<typeof BOUNDS> = {}): void {
  const storeServerConnectionsMax = bounds.storeConnectionsMax ?? BOUNDS.storeConnectionsMax
  pools = new StorePools({
    bounds: { ...BOUNDS, storeServerConnectionsMax, ...bounds },
    connectionUrl,
    emit: (event) => events.push(event),
  })
}

function addressOf(storeId: string): StoreAddress {
  return realAddress(storeId, inject('postgresUrl'))
}

/** Moves the password out of the URL. */
function realAddress(storeId: string, databaseUrl: string): StoreAddress {
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  return { storeId, databaseUrl: url.href, schemaName: 'public', encryptedPassword: password }
}

/** Returns work that lasts until `end` is called. `started` resolves when the work has a connection. */
function pendingWork() {
  const [started, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = async () => {
    started.resolve()
    await done.promise
  }
  return { work, started: started.promise, end: done.resolve }
}

const select1 = (connection: Connection) => queryRows(connection, sql`select 1`)

const eventsOf = (event: StoreEvent['event']) => events.filter((each) => each.event === event)

test('while a database server does not respond to a connection attempt, the pool counts the request as waiting and no connection as open', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  startPools({ storeTimeoutMs: 600 })
  const { port } = server.address() as AddressInfo
  const silent = { ...addressOf('a'), databaseUrl: `postgres://reader@127.0.0.1:${port}/shop?sslmode=require` }
  const rejected = expect(pools.use(silent, select1)).rejects.toThrow()
  await once(server, 'connection')
  expect(pools.sums()).toEqual({ pools: 1, connections: 0, busy: 0, waiting: 1 })
  await rejected
  server.close()
})

test('after a database server did not accept a session in time, the pools report its failure as timeout until a session is open', async () => {
  const held: Socket[] = []
  let isHung = true
  const proxy = createServer((socket) => {
    if (isHung) return void held.push(socket)
    const real = connectTcp(Number(new URL(inject('postgresUrl')).port), '127.0.0.1')
    for (const each of [real, socket]) each.on('error', () => undefined)
    socket.pipe(real).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  startPools({ storeTimeoutMs: 5000 })
  const { port } = proxy.address() as AddressInfo
  const url = Object.assign(new URL(inject('postgresUrl')), { port: String(port) })
  url.searchParams.set('connect_timeout', '2')
  const address = realAddress('a', url.href)
  await expect(pools.use(address, select1)).rejects.toThrow()
  expect(pools.servers()).toMatchObject([{ failure: 'timeout' }])
  expect(eventsOf('store.server_failed')).toMatchObject([{ reason: 'timeout' }])
  for (const socket of held) socket.destroy()
  isHung = false
  await expect.poll(() => pools.use(address, select1).then(() => pools.servers()[0]?.failure)).toBeNull()
})

test('[ERR-3] if a server refuses connections for 5 s, requests fail at once, and succeed within a second after it is back', async () => {
  const real = new URL(inject('postgresUrl'))
  const pipe = (socket: Socket) => {
    const server = connectTcp(Number(real.port), '127.0.0.1')
    for (const each of [server, socket]) each.on('error', () => undefined)
    socket.pipe(server).pipe(socket)
  }
  const reserved = createServer(pipe).listen(0, '127.0.0.1')
  await once(reserved, 'listening')
  const { port } = reserved.address() as AddressInfo
  reserved.close()
  await once(reserved, 'close')
  startPools({ storeQueueMax: 100 })
  const url = Object.assign(new URL(real), { port: String(port) }).href
  const read = (storeId: string) => pools.use(realAddress(storeId, url), select1)
  /** Returns the durations of failed reads of six stores at once, in ms. */
  const failures = async () => {
    const since = performance.now()
    return await Promise.all(
      [...'abcdef'].map((storeId) =>
        read(storeId).then(
          () => expect.unreachable(),
          () => performance.now() - since,
        ),
      ),
    )
  }
  const begunAt = performance.now()
  while (performance.now() - begunAt < 5000) await failures()
  expect(
    eventsOf('store.request_rejected').filter((each) => 'reason' in each && each.reason === 'unreachable'),
  ).toEqual([])
  const slowest = (await failures()).toSorted((a, b) => b - a)
  // All stores have failed before, so only one request waits.
  expect(slowest.slice(1).every((ms) => ms < 50)).toBe(true)
  expect(events.at(-1)).toMatchObject({ event: 'store.request_rejected', reason: 'unreachable' })
  const server = createServer(pipe).listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await expect.poll(() => read('a'), { timeout: 1000, interval: 20 }).toHaveLength(1)
  await Promise.all([...'abcdef'].map((storeId) => read(storeId)))
}, 20_000)

test('[ERR-3] if a machine accepts no TCP connection for 8 s, most requests of its stores fail at once', async () => {
  const host = await startUnresponsiveHost()
  onTestFinished(host.close)
  startPools({ storeQueueMax: 100, storeConnectionsMax: 20, storeTimeoutMs: 2000 })
  const url = `postgres://reader@127.0.0.1:${host.port}/shop`
  const begunAt = performance.now()
  const durations: Promise<number>[] = []
  for (let request = 0; performance.now() - begunAt < 10_000; request++) {
    const since = performance.now()
    const failed = pools.use(realAddress(`store ${request % 40}`, url), select1).catch(() => performance.now() - since)
    if (since - begunAt > 8000) durations.push(failed as Promise<number>)
    await delay(50)
  }
  const atOnce = (await Promise.all(durations)).filter((ms) => ms < 100)
  expect(atOnce.length / durations.length).toBeGreaterThan(0.8)
  expect(pools.servers()).toMatchObject([{ failure: 'unreachable' }])
}, 30_000)

test('[ERR-3] if a store has a wrong URL for 6 s, a request for another store of its server succeeds', async () => {
  startPools({ storeQueueMax: 100 })
  const url = new URL(inject('postgresUrl'))
  const wrong = Object.assign(new URL(url), { search: 'sslmode=require&sslnegotiation=direct' }).href
  const begunAt = performance.now()
  const failing: Promise<unknown>[] = []
  for (let request = 0; performance.now() - begunAt < 6000; request++) {
    failing.push(pools.use(realAddress(`wrong ${request % 3}`, wrong), select1).catch((error: unknown) => error))
    await delay(50)
  }
  expect(eventsOf('store.request_rejected')).toContainEqual(expect.objectContaining({ reason: 'unreachable' }))
  expect(await pools.use(realAddress('right', url.href), select1)).toHaveLength(1)
  for (const error of await Promise.all(failing)) expect(error).toBeInstanceOf(Error)
}, 20_000)

describe('the queue of a store', () => {
  test("[ERR-3] if a request finds its store's queue full or waits too long, the request fails, and store.request_rejected has the reason", async () => {
    vi.useFakeTimers()
    startPools({ storePoolSize: 1 })
    const work = pendingWork()
    const running = pools.use(addressOf('a'), work.work)
    await work.started
    const late = expect(pools.use(addressOf('a'), work.work)).rejects.toThrow('no connection became free')
    await expect(pools.use(addressOf('a'), work.work)).rejects.toThrow('is full')
    await vi.advanceTimersByTimeAsync(1001)
    await late
    expect(eventsOf('store.request_rejected')).toEqual([
      { event: 'store.request_rejected', storeId: 'a', reason: 'full' },
      { event: 'store.request_rejected', storeId: 'a', reason: 'timeout' },
    ])
    work.end()
    await running
    expect(pools.sums()).toMatchObject({ pools: 1, busy: 0, waiting: 0 })
  })

  test('[ERR-3] if no connection becomes free, a waiting request fails one second before its deadline', async () => {
    vi.useFakeTimers()
    startPools({ storePoolSize: 1, storeQueueWaitMs: 10_000 })
    const work = pendingWork()
    const running = pools.use(addressOf('a'), work.work)
    await work.started
    const deadline = performance.now() + 3000
    const late = expect(pools.use(addressOf('a'), work.work, deadline)).rejects.toThrow('within 2000 ms')
    await vi.advanceTimersByTimeAsync(2001)
    await late
    work.end()
    await running
  })

  test('[ERR-3] if a request waits longer than storeQueueWaitMs while other requests complete, the request is not rejected', async () => {
    vi.useFakeTimers()
    startPools({ storePoolSize: 1, storeConnectionsMax: 1 })
    const works = [1, 2, 3, 4].map(() => pendingWork())
    const run = (storeId: string, index: number) =>
      pools.use(addressOf(storeId), works[index]?.work ?? (async () => undefined))
    const all = [run('a', 0), run('b', 1), run('c', 2), run('c', 3)]
    for (const work of works) {
      await work.started
      await vi.advanceTimersByTimeAsync(800)
      work.end()
    }
    await Promise.all(all)
    expect(eventsOf('store.request_rejected')).toEqual([])
  })
})

describe('the connections to all stores', () => {
  test('[ERR-3] if 12 stores are read at once, the number of open connections does not exceed storeConnectionsMax', async () => {
    const database = await createDatabase()
    const watcher = new Pool(parseConnectionUrl(database.url), { connectionsMax: 1, applicationName: 'watcher' })
    startPools({ storeQueueMax: 100 })
    const addresses = Array.from({ length: 12 }, (_, n) => realAddress(`store ${n}`, database.url))
    let [most, reads] = [0, 0]
    const readStores = async (worker: number) => {
      for (let n = 0; n < 25; n++, reads++) {
        const address = addresses[(worker * 7 + n * 5 + (n % 3)) % addresses.length] ?? addressOf('')
        await pools.use(address, select1)
        const [row] = await watcher.query<{ open: number }>(sql`
          select count(*)::int as open from pg_stat_activity
          where datname = current_database() and application_name = 'store-export'`)
        most = Math.max(most, row?.open ?? 0, pools.sums().connections)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, worker) => readStores(worker)))
    expect(reads).toBe(200)
    expect(most).toBe(BOUNDS.storeConnectionsMax)
    expect(eventsOf('store.request_rejected')).toEqual([])
    await watcher.close()
    await pools.close()
    await database.drop()
  })

  // At most two requests per connection wait. With more, a slow machine rejects some of them.
  test.each([
    { bound: 4, busyStores: 1, otherStores: 4 },
    { bound: 20, busyStores: 5, otherStores: 20 },
  ])(
    '[ERR-3] if $busyStores busy and $otherStores other stores share $bound connections, no request is rejected',
    async ({ bound, busyStores, otherStores }) => {
      startPools({ storePoolSize: 4, storeConnectionsMax: bound, storeQueueMax: 600 })
      const url = inject('postgresUrl')
      const rested = new AbortController()
      let served = 0
      const busy = Array.from({ length: busyStores * 4 }, async (_, n) => {
        const address = realAddress(`busy ${n % busyStores}`, url)
        for (; !rested.signal.aborted; served++)
          await pools.use(address, (connection) => queryRows(connection, sql`select pg_sleep(0.02)`))
      })
      const others = Array.from({ length: otherStores }, async (_, n) => {
        for (let round = 0; round < 3; round++) await pools.use(realAddress(`other ${n}`, url), select1)
      })
      await Promise.all(others)
      rested.abort()
      await Promise.all(busy)
      expect(served).toBeGreaterThan(0)
      expect(eventsOf('store.request_rejected')).toEqual([])
    },
  )

  test('[ERR-3] if an idle pool and a closing pool hold all connections, a new store gets a connection within a second', async () => {
    startPools()
    const url = inject('postgresUrl')
    const two = (storeId: string) => [1, 2].map(() => pools.use(realAddress(storeId, url), select1))
    await Promise.all(two('idle'))
    const work = pendingWork()
    const leaving = [1, 2].map(() =>
      pools.use(realAddress('leaving', url), (connection) => select1(connection).then(work.work)),
    )
    await vi.waitFor(() => expect(pools.sums()).toMatchObject({ connections: 4, busy: 2 }))
    pools.discard('leaving', 'connection lost', { graceSeconds: 5 })
    const startedAt = performance.now()
    await pools.use(realAddress('new', url), select1)
    expect(performance.now() - startedAt).toBeLessThan(1000)
    work.end()
    await Promise.all(leaving)
  })

  test('[ERR-3] if one store has 60 waiting requests, requests for four other stores complete before 30 of the 60 complete', async () => {
    startPools({ storeQueueMax: 1000, storeQueueWaitMs: 10_000 })
    const [busy, ...others] = ['busy', 'b', 'c', 'd', 'e'].map((storeId) => realAddress(storeId, inject('postgresUrl')))
    if (busy === undefined) throw new Error('no store')
    let left = 60
    const all = Array.from({ length: left }, async () => {
      await pools.use(busy, (connection) => queryRows(connection, sql`select pg_sleep(0.05)`))
      left--
    })
    for (const other of others) await pools.use(other, select1)
    expect(left).toBeGreaterThan(30)
    await Promise.all(all)
  })

  test('if the connection limit is reached and another store is read, the least recently used store loses its connection', async () => {
    startPools()
    const addresses = ['a', 'b', 'c', 'd', 'e'].map((storeId) => realAddress(storeId, inject('postgresUrl')))
    for (const address of addresses) await pools.use(address, select1)
    expect(pools.storeIds()).toEqual(['b', 'c', 'd', 'e'])
    await pools.use(addresses[1] ?? addressOf(''), select1)
    await pools.use(addresses[0] ?? addressOf(''), select1)
    expect(pools.storeIds()).toEqual(['d', 'e', 'b', 'a'])
  })

  test('[ERR-3] if all connections stay busy, a request for another store waits until its time limit and then fails', async () => {
    startPools({ storePoolSize: 2, storeConnectionsMax: 1, storeQueueWaitMs: 60_000, storeTimeoutMs: 500 })
    const work = pendingWork()
    const running = pools.use(addressOf('a'), work.work)
    await expect(pools.use(realAddress('b', inject('postgresUrl')), async () => undefined)).rejects.toThrow(
      'no connection',
    )
    work.end()
    await running
    await pools.use(realAddress('b', inject('postgresUrl')), select1)
    expect(pools.sums()).toMatchObject({ connections: 1, busy: 0, waiting: 0 })
  })
})

describe('a server that closes each connection', () => {
  /** Starts a server that sends `message` and closes, and counts its connections. */
  async function closingServer(message: string) {
    const counted = { connections: 0 }
    const server = createServer((socket) => {
      counted.connections++
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(Buffer.from(message, 'latin1')))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    return { counted, databaseUrl: `postgres://reader@127.0.0.1:${port}/shop?sslmode=disable` }
  }

  test.each([
    ['without a message', ''],
    ['during authentication', 'R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0'],
    ['after authentication', 'R\0\0\0\x08\0\0\0\0'],
    ['as soon as they are ready', 'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I'],
  ])(
    '[ERR-3] if a server closes connections %s, a request connects only once, and the pause that 20 clients share between connections grows to 500 ms',
    async (_, message) => {
      startPools({ storePoolSize: 4, storeQueueMax: 1000 })
      const { counted, databaseUrl } = await closingServer(message)
      const useStore = (storeId: string) =>
        pools.use({ storeId, databaseUrl, schemaName: 'public', encryptedPassword: null }, select1)
      await expect(useStore('a')).rejects.toThrow()
      expect(counted.connections).toBe(1)
      const since = performance.now()
      const until = since + 1500
      const client = async () => {
        while (performance.now() < until) await useStore('a').catch(() => undefined)
      }
      await Promise.all(Array.from({ length: 20 }, client))
      // Pauses of 50, 100, 200, and 400 ms, then of 500 ms.
      const pauses = 5 + (performance.now() - since) / 500
      expect(counted.connections).toBeLessThanOrEqual(1 + pauses)
    },
  )

  test('[ERR-3] if the server terminates a new connection during startup, the next request opens a new connection instead of reusing an idle one', async () => {
    startPools()
    const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', '']
    const body = Buffer.from(fields.map((field) => `${field}\0`).join(''), 'latin1')
    const terminated = Buffer.concat([Buffer.from([0x45, 0, 0, 0, body.length + 4]), body])
    let connections = 0
    let isTerminated = false
    // The first connection ends at its next statement, the second one at once. The others stay open.
    const server = createServer((socket) => {
      const number = ++connections
      const real = connectTcp(Number(new URL(inject('postgresUrl')).port), '127.0.0.1')
      for (const side of [socket, real]) side.on('error', () => undefined).on('close', () => void real.destroy())
      real.pipe(socket)
      socket.on('data', (data) => {
        if (number === 2 || (number === 1 && isTerminated)) socket.end(terminated)
        else real.write(data)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const url = Object.assign(new URL(inject('postgresUrl')), { port: String(port) })
    url.searchParams.set('sslmode', 'disable')
    const address = realAddress('a', url.href)
    const work = pendingWork()
    const first = pools.use(address, async (connection) => {
      await select1(connection)
      await work.work()
    })
    await work.started
    await expect(pools.use(address, select1)).rejects.toMatchObject({ code: '57P01' })
    isTerminated = true
    work.end()
    await first
    await pools.use(address, select1)
    expect(connections).toBe(3)
  })

  test('[ERR-3] if a server recovers after refusing connections, a request succeeds within 1.5 s', async () => {
    startPools()
    const server = createServer((socket) => void socket.destroy())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const address = realAddress('a', Object.assign(new URL(inject('postgresUrl')), { port: String(port) }).href)
    const useStore = () => pools.use(address, select1)
    for (let n = 0; n < 6; n++) await expect(useStore()).rejects.toThrow()
    await new Promise((resolve) => server.close(resolve))
    const proxy = createServer((socket) => {
      const real = connectTcp(Number(new URL(inject('postgresUrl')).port), '127.0.0.1')
      real.on('error', () => undefined)
      socket.on('error', () => undefined)
      socket.pipe(real).pipe(socket)
    })
    proxy.listen(port, '127.0.0.1')
    onTestFinished(() => void proxy.close())
    const since = performance.now()
    await useStore()
    expect(performance.now() - since).toBeLessThan(1500)
  })
})

describe('a store that changes its address', () => {
  test('[ERR-3] if the database URL of a store changes, requests with the old and the new URL both succeed', async () => {
    startPools({ storeQueueMax: 100 })
    const url = inject('postgresUrl')
    const newUrl = new URL(url)
    newUrl.searchParams.set('connect_timeout', '3')
    const [older, newer] = [realAddress('a', url), realAddress('a', newUrl.href)]
    const now = performance.now()
    const use = (address: StoreAddress, n: number) =>
      pools.use(address, (connection) => queryRows(connection, sql`select pg_sleep(0.01)`), now + 5000 + n)
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => use(n < 20 || n % 4 === 0 ? older : newer, n < 20 ? n : 100 + n)),
    )
    const opened = eventsOf('store.pool_opened').length
    expect(opened).toBeGreaterThan(1)
    expect(opened).toBeLessThanOrEqual(20)
    expect(eventsOf('store.request_rejected')).toEqual([])
    await Promise.all([use(older, 0), use(newer, 1000), use(older, 1), use(newer, 1001)])
    expect(pools.sums()).toMatchObject({ pools: 1, busy: 0, waiting: 0 })
  })

  test('[GEN-2] if requests for a store name different schemas, each request reads the schema from the request with the latest deadline so far', async () => {
    startPools()
    const old = realAddress('a', inject('postgresUrl'))
    const moved = { ...old, schemaName: 'moved' }
    const now = performance.now()
    const schemaFor = (address: StoreAddress, n: number) =>
      pools.use(address, async (_, { schemaName }) => schemaName, now + 5000 + n)
    expect(await schemaFor(old, 0)).toBe('public')
    expect(await schemaFor(moved, 1000)).toBe('moved')
    expect(await schemaFor(old, 1)).toBe('moved')
    expect(await schemaFor(old, 2000)).toBe('public')
  })

  test('when all pools are closed, waiting requests are rejected and open no new pool', async () => {
    startPools({ storePoolSize: 1 })
    const address = realAddress('a', inject('postgresUrl'))
    const work = pendingWork()
    const running = pools.use(address, work.work)
    await work.started
    const waiting = expect(pools.use(address, async () => undefined)).rejects.toThrow('being stopped')
    const closing = pools.close()
    work.end()
    await Promise.all([running, waiting, closing])
    expect(pools.sums()).toEqual({ pools: 0, connections: 0, busy: 0, waiting: 0 })
  })
})

describe('the pool of a store', () => {
  test('after storeIdleSeconds, an unused pool is closed, and a busy pool stays open', async () => {
    vi.useFakeTimers()
    startPools()
    const work = pendingWork()
    const running = pools.use(addressOf('busy'), work.work)
    await work.started
    await pools.use(addressOf('idle'), async () => undefined)
    expect(pools.storeIds()).toEqual(['busy', 'idle'])
    await vi.advanceTimersByTimeAsync(59_000)
    expect(pools.sums().pools).toBe(2)
    await vi.advanceTimersByTimeAsync(6000)
    expect(pools.storeIds()).toEqual(['busy'])
    expect(eventsOf('store.pool_closed')).toEqual([{ event: 'store.pool_closed', storeId: 'idle', reason: 'unused' }])
    work.end()
    await running
    await vi.advanceTimersByTimeAsync(66_000)
    expect(pools.sums().pools).toBe(0)
  })

  test('after a pool is closed, neither the pool nor its two connections count as open', async () => {
    startPools()
    const address = realAddress('a', inject('postgresUrl'))
    await Promise.all(
      [1, 2].map(() => pools.use(address, (connection) => queryRows(connection, sql`select pg_sleep(0.05)`))),
    )
    expect(pools.sums()).toEqual({ pools: 1, connections: 2, busy: 0, waiting: 0 })
    pools.discard('a', 'test')
    await vi.waitFor(() => expect(pools.sums()).toEqual({ pools: 0, connections: 0, busy: 0, waiting: 0 }))
  })
})
