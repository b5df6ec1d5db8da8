// Tests connections with a fake database server, which controls each message.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { within } from '@store-export/postgres'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type PoolBounds, type StoreAddress, StorePools } from './store-pools.ts'

const BOUNDS: PoolBounds = {
  storePoolSize: 4,
  storeConnectionsMax: 20,
  storeServerConnectionsMax: 20,
  storeQueueMax: 50,
  storeQueueWaitMs: 1000,
  storeIdleSeconds: 60,
  storeTimeoutMs: 5000,
  storeSessionSettings: false,
}
const TERMINATE = 'X'.charCodeAt(0)
const READY = message('Z', 'I')
const LET_IN = Buffer.concat([message('R', '\0\0\0\0'), READY])
const ROLE_FULL = message('E', 'SFATAL\0C53300\0Mtoo many connections for role\0RInitializeSessionUserId\0\0')
const RESPONSE = Buffer.concat([message('C', 'SELECT 0\0'), READY])

function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}

/**
 * Starts a server that responds to a statement after `beforeResponse`. The role `refuses` is at its connection limit.
 */
async function startServer({ beforeResponse = async () => undefined as unknown, refuses = '', port = 0 } = {}) {
  const serve = (socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (startup) => {
      if (refuses !== '' && startup.includes(refuses)) return void socket.end(ROLE_FULL)
      socket.write(LET_IN)
      socket.on('data', async (data) => {
        if (data[0] === TERMINATE) return void socket.end()
        await beforeResponse()
        socket.write(RESPONSE)
      })
    })
  }
  const server = createServer(serve).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, stop: () => new Promise((stopped) => server.close(stopped)) }
}

/** Returns pools, and a function that sends a statement to the store of a role. */
function startPools(port: number, bounds: Partial<PoolBounds> = {}) {
  const connectionUrl = ({ databaseUrl }: StoreAddress) => databaseUrl
  const pools = new StorePools({ bounds: { ...BOUNDS, ...bounds }, connectionUrl, emit: () => undefined })
  onTestFinished(() => pools.close())
  const useStore = (role: string, work: () => Promise<unknown> = async () => undefined) => {
    const databaseUrl = `postgres://${role}@127.0.0.1:${port}/shop?sslmode=disable`
    return pools.use(
      { storeId: role, databaseUrl, schemaName: 'public', encryptedPassword: null },
      async (connection) => {
        const response = connection.script('select')
        await within(300, response, () => pools.discard(role, 'no response in time', { connection, graceSeconds: 5 }))
        await work()
      },
    )
  }
  return { pools, useStore }
}

test('[ERR-3] if a server responds too late, then stops, and then starts again, the service connects to it again', async () => {
  const late = Promise.withResolvers<void>()
  const server = await startServer({ beforeResponse: () => late.promise })
  const { pools, useStore } = startPools(server.port)
  await expect(useStore('slow')).rejects.toThrow('no response within')
  late.resolve()
  await vi.waitFor(() => expect(pools.sums().connections).toBe(0))
  await server.stop()
  for (let n = 0; n < 3; n++) await expect(useStore('other')).rejects.toThrow()
  await startServer({ port: server.port })
  await useStore('other')
})

test('[ERR-3] if all four connections to a server are idle in the pools of four stores, one busy store still gets a second connection', async () => {
  const server = await startServer()
  const { useStore } = startPools(server.port, { storeServerConnectionsMax: 4 })
  for (const role of ['a', 'b', 'c', 'd']) await useStore(role)
  const work = Promise.withResolvers<void>()
  const running = useStore('a', () => work.promise)
  await useStore('a')
  work.resolve()
  await running
})

test('[ERR-3] if a role has reached its connection limit, idle connections of other roles stay open', async () => {
  const server = await startServer({ refuses: 'greedy' })
  const { pools, useStore } = startPools(server.port)
  for (const role of ['a', 'b', 'c']) await useStore(role)
  await expect(useStore('greedy')).rejects.toThrow('too many connections')
  await vi.waitFor(() => expect(pools.sums().connections).toBe(3))
})
