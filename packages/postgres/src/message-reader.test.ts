import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { MESSAGE_BYTES_MAX, MessageReader, SERVER, SHORT_MESSAGE_BYTES_MAX } from './message-reader.ts'

interface Message {
  readonly type: number
  readonly body: Buffer
}

const TYPES = Object.values(SERVER)
const anyMessage = fc.record({
  type: fc.constantFrom(...TYPES),
  body: fc
    .oneof(
      { arbitrary: fc.uint8Array({ maxLength: 40 }), weight: 20 },
      { arbitrary: fc.uint8Array({ minLength: 65_000, maxLength: 70_000 }), weight: 1 },
    )
    .map((bytes) => Buffer.from(bytes)),
})

function head(type: number, length: number): Buffer {
  const bytes = Buffer.alloc(5, type)
  bytes.writeUInt32BE(length, 1)
  return bytes
}

function streamOf(messages: readonly Message[]): Buffer {
  return Buffer.concat(messages.flatMap(({ type, body }) => [head(type, body.length + 4), body]))
}

/** Returns the messages that a reader finds. Each chunk arrives in the same memory, which is overwritten afterwards. */
function read(chunks: Iterable<Buffer>): Message[] {
  const messages: Message[] = []
  const reader = new MessageReader((type, { bytes, view, start, length }) => {
    const body = Buffer.from(bytes.subarray(start, start + length))
    if (length > 0) expect(view.getUint8(start)).toBe(body[0])
    messages.push({ type, body })
  })
  let memory = Buffer.alloc(64 * 1024)
  for (const chunk of chunks) {
    if (chunk.length > memory.length) memory = Buffer.alloc(chunk.length)
    chunk.copy(memory)
    reader.receive(memory.subarray(0, chunk.length))
    memory.fill(0xff)
  }
  return messages
}

function* splitIntoChunks(stream: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, n = 0; at < stream.length; n++) {
    const size = sizes[n % sizes.length] as number
    yield stream.subarray(at, at + size)
    at += size
  }
}

describe('messages of a PostgreSQL server', () => {
  test("if the server's byte stream is split at random positions, the reader returns the messages unchanged", () => {
    const anySizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100_000 })), {
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), anySizes, (messages, sizes) => {
        const found = read(splitIntoChunks(streamOf(messages), sizes))
        expect(found.map(({ type }) => type)).toEqual(messages.map(({ type }) => type))
        for (const [index, { body }] of found.entries()) expect(body.equals(messages[index]?.body as Buffer)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test.each([1, 2, 3, 4, 5, 6, 7])(
    "if the server's byte stream arrives in chunks of size %i, the reader returns the messages unchanged",
    (size) => {
      const messages = [
        { type: SERVER.readyForQuery, body: Buffer.from('I') },
        { type: SERVER.bindComplete, body: Buffer.alloc(0) },
        { type: SERVER.dataRow, body: Buffer.from('\0\x01\0\0\0\x03row') },
      ]
      expect(read(splitIntoChunks(streamOf(messages), [size]))).toEqual(messages)
    },
  )

  test('if a message lies within one chunk, the reader does not copy the bytes of the message', () => {
    const stream = streamOf([{ type: SERVER.dataRow, body: Buffer.from('row') }])
    new MessageReader((_, { bytes }) => expect(bytes).toBe(stream)).receive(stream)
  })
})

describe('invalid messages', () => {
  const everywhere = [
    ['in one chunk', (bytes: Buffer) => [bytes]],
    ['byte by byte', (bytes: Buffer) => splitIntoChunks(bytes, [1])],
  ] as const

  test.each(everywhere.flatMap(([where, chunks]) => [0, 1, 2, 3].map((length) => ({ where, chunks, length }))))(
    'if a message has the invalid length $length and arrives $where, the reader throws an error about invalid bytes',
    ({ chunks, length }) => {
      const bytes = Buffer.concat([head(SERVER.readyForQuery, length), Buffer.from('I')])
      expect(() => read(chunks(bytes))).toThrow('bytes that are not a message of PostgreSQL')
    },
  )

  test('if a message has an unknown type, the reader throws an EPROTO error', () => {
    const accepted = Array.from({ length: 256 }, (_, type) => type).filter((type) => {
      try {
        return read([Buffer.concat([head(type, 4)])]).length === 1
      } catch (error) {
        expect(error).toMatchObject({ name: 'PostgresConnectionError', code: 'EPROTO' })
        return false
      }
    })
    expect(accepted).toEqual(TYPES.toSorted((a, b) => a - b))
  })

  test.each(everywhere)(
    'if the header of a 4 GB message arrives %s, the reader throws without waiting for the body',
    (_, chunks) => {
      expect(() => read(chunks(head(SERVER.dataRow, 2 ** 32 - 1)))).toThrow('a message of 4294967295 bytes')
    },
  )

  test('if a ParameterStatus message exceeds SHORT_MESSAGE_BYTES_MAX, the reader throws an error that names the maximum', () => {
    read([head(SERVER.parameterStatus, SHORT_MESSAGE_BYTES_MAX)])
    expect(() => read([head(SERVER.parameterStatus, SHORT_MESSAGE_BYTES_MAX + 1)])).toThrow('the maximum is')
  })

  test('the reader accepts a row of the maximum size, and throws for a row that is one byte larger', () => {
    const chunk = Buffer.alloc(1024 * 1024)
    function* chunks(length: number): Generator<Buffer> {
      yield head(SERVER.dataRow, length)
      for (let left = length - 4; left > 0; left -= chunk.length) yield chunk.subarray(0, left)
    }
    let rowBytes = 0
    const reader = new MessageReader((_, { length }) => {
      rowBytes = length
    })
    for (const bytes of chunks(MESSAGE_BYTES_MAX)) reader.receive(bytes)
    expect(rowBytes).toBe(MESSAGE_BYTES_MAX - 4)
    expect(() => read(chunks(MESSAGE_BYTES_MAX + 1))).toThrow(`a message of ${MESSAGE_BYTES_MAX + 1} bytes`)
  })

  test('if a row arrives in two parts, the reader allocates at most as many bytes as the row has', () => {
    const allocate = vi.spyOn(Buffer, 'allocUnsafe')
    onTestFinished(() => allocate.mockRestore())
    const row = streamOf([{ type: SERVER.dataRow, body: Buffer.alloc(2000) }])
    const reader = new MessageReader(() => undefined)
    for (const at of [3, 5, 900]) for (const part of [row.subarray(0, at), row.subarray(at)]) reader.receive(part)
    const taken = allocate.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0)
    expect(taken).toBeLessThanOrEqual(3 * (row.length + 5))
  })

  test('if only 1,000 bytes of a message of the maximum size have arrived, the reader allocates less than 200 kB', () => {
    const before = process.memoryUsage().arrayBuffers
    const readers = Array.from({ length: 100 }, () => new MessageReader(() => undefined))
    for (const reader of readers) {
      reader.receive(head(SERVER.dataRow, MESSAGE_BYTES_MAX))
      reader.receive(Buffer.alloc(1000))
    }
    expect((process.memoryUsage().arrayBuffers - before) / readers.length).toBeLessThan(200_000)
  })
})
