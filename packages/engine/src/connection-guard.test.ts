import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardSocket, MESSAGE_BYTES_MAX, MessageHeads, NOTICES_MAX } from './connection-guard.ts'

function message(type: string, length: number, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, body])
}

/** What is found in `bytes` when they come in parts of this size. */
function problemIn(bytes: Buffer, partBytes = bytes.length): string | null {
  const heads = new MessageHeads()
  for (let at = 0; at < bytes.length; at += partBytes) {
    const problem = heads.problemIn(bytes.subarray(at, at + partBytes))
    if (problem !== null) return problem
  }
  return null
}

describe('what a server says', () => {
  const honest = Buffer.concat([
    message('R', 8, Buffer.alloc(4)),
    message('Z', 5, Buffer.from('I')),
    message('H', 7, Buffer.alloc(3)),
    message('d', 1004, Buffer.alloc(1000, 0xff)),
    message('c', 4),
    message('C', 11, Buffer.from('COPY 1\0')),
  ])

  test.each([1, 2, 3, 4, 5, 6, 7, 64, 1000, 5000])('messages in parts of %i bytes are let through', (partBytes) => {
    expect(problemIn(honest, partBytes)).toBeNull()
  })

  test.each([1, 3, 5, 1000, 5000])('a byte too many is found in parts of %i bytes', (partBytes) => {
    const broken = Buffer.concat([honest, Buffer.from([0]), honest])
    expect(problemIn(broken, partBytes)).toBe('what is no message of PostgreSQL')
  })

  test('a length that counts less than itself is no message', () => {
    expect(problemIn(message('d', 3))).toBe('what is no message of PostgreSQL')
  })

  test('notices are let through, even many, and a flood of them is not', () => {
    const many = Buffer.concat(Array.from({ length: NOTICES_MAX }, () => message('N', 5, Buffer.alloc(1))))
    expect(problemIn(Buffer.concat([many, honest, many]))).toBeNull()
    expect(problemIn(Buffer.concat([many, message('N', 5)]))).toBe('nothing but notices')
  })

  test('the largest message is let through before its body has come, and one byte more is not', () => {
    expect(problemIn(message('d', MESSAGE_BYTES_MAX))).toBeNull()
    expect(problemIn(message('d', MESSAGE_BYTES_MAX + 1))).toContain(`${MESSAGE_BYTES_MAX + 1} bytes`)
  })
})

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
    guardSocket(client, 'the host')
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
