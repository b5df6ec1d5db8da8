import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serverMessage as message } from '../test/support/server-message.ts'
import { guardSocket } from './connection-guard.ts'
import { RowReader } from './connection-messages.ts'

describe('a guarded socket', () => {
  /** Both ends of a connection, the client's guarded. */
  async function pair() {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const client = connect({ port: address !== null && typeof address === 'object' ? address.port : 0 })
    const [peer] = (await once(server, 'connection')) as [Socket]
    peer.on('error', () => undefined)
    onTestFinished(() => {
      client.destroy()
      peer.destroy()
      server.close()
    })
    guardSocket(client, 'the host', { reader: new RowReader() })
    return { client, peer }
  }

  test('fails at bytes that are no message, and gives them to nobody', async () => {
    const { client, peer } = await pair()
    const heard: Buffer[] = []
    client.on('data', (bytes: Buffer) => heard.push(bytes))
    peer.write(message('Z', 5, Buffer.from('I')))
    await expect.poll(() => heard.length).toBe(1)
    peer.write(Buffer.alloc(100))
    const [error] = await once(client, 'error')
    expect(error).toMatchObject({ code: 'EPROTO', message: 'the host sent what is no message of PostgreSQL' })
    expect(heard).toHaveLength(1)
  })

  test('that was ended is closed, though the server neither closes nor stops to speak', async () => {
    const { client, peer } = await pair()
    client.on('data', () => undefined)
    client.end()
    peer.write(message('Z', 5, Buffer.from('I')))
    await once(client, 'close')
    expect(peer.writableEnded).toBe(false)
  })
})
