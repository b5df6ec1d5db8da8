import { describe, expect, test } from 'vitest'
import { serverMessage as message } from '../test/support/server-message.ts'
import { MESSAGE_BYTES_MAX, NOTICES_MAX, RowReader, ServerMessages } from './connection-messages.ts'

const PARTS = [1, 2, 3, 4, 5, 6, 7, 64, 1000, 5000]
const ROWS = ['', 'a', 'row', 'x'.repeat(1000), '\u00ff'.repeat(7), 'last']
const BEFORE = [message('R', 8, Buffer.alloc(4)), message('Z', 5, Buffer.from('I')), message('T', 6, Buffer.alloc(2))]
const AFTER = [message('C', 13, Buffer.from('SELECT 1\0')), message('Z', 5, Buffer.from('I'))]
const DATA = ROWS.map((row) => message('D', Buffer.byteLength(row) + 4, Buffer.from(row)))
const HONEST = Buffer.concat([...BEFORE, ...DATA, ...AFTER])

/** What becomes of `bytes` when they come in parts of this size, each in the same memory. */
function receive(bytes: Buffer, { partBytes = bytes.length, reader = new RowReader() } = {}) {
  const passed: Buffer[] = []
  const messages = new ServerMessages(reader, (part) => passed.push(Buffer.from(part)))
  const chunk = Buffer.alloc(partBytes)
  let problem: string | null = null
  for (let at = 0; at < bytes.length && problem === null; at += partBytes)
    problem = messages.receive(chunk.subarray(0, bytes.copy(chunk, 0, at, at + partBytes)))
  return { problem, passed: Buffer.concat(passed) }
}

/** A reader, and the rows that it took. */
function reading(fail: (row: string) => void = () => undefined) {
  const reader = new RowReader()
  const rows: string[] = []
  reader.begin(({ bytes, start, length }) => {
    const row = bytes.toString('utf8', start, start + length)
    fail(row)
    rows.push(row)
  })
  return { reader, rows }
}

describe('what a server says', () => {
  test.each(PARTS)('in parts of %i bytes is all the driver’s while nobody reads rows', (partBytes) => {
    expect(receive(HONEST, { partBytes })).toEqual({ problem: null, passed: HONEST })
  })

  test.each([1, 3, 5, 1000, 5000])('a byte too many is found in parts of %i bytes', (partBytes) => {
    const broken = Buffer.concat([HONEST, Buffer.from([0]), HONEST])
    expect(receive(broken, { partBytes }).problem).toBe('what is no message of PostgreSQL')
  })

  test('a length that counts less than itself is no message', () => {
    expect(receive(message('d', 3)).problem).toBe('what is no message of PostgreSQL')
  })

  test('notices are let through, even many, and a flood of them is not', () => {
    const many = Buffer.concat(Array.from({ length: NOTICES_MAX }, () => message('N', 5, Buffer.alloc(1))))
    expect(receive(Buffer.concat([many, HONEST, many])).problem).toBeNull()
    expect(receive(Buffer.concat([many, message('N', 5)])).problem).toBe('nothing but notices')
  })

  test('the largest message is let through before its body has come, and one byte more is not', () => {
    expect(receive(message('d', MESSAGE_BYTES_MAX)).problem).toBeNull()
    expect(receive(message('d', MESSAGE_BYTES_MAX + 1)).problem).toContain(`${MESSAGE_BYTES_MAX + 1} bytes`)
  })
})

describe('the rows of a statement', () => {
  test.each(PARTS)('in parts of %i bytes go to their reader whole, and all else to the driver', (partBytes) => {
    const { reader, rows } = reading()
    expect(receive(HONEST, { partBytes, reader })).toEqual({
      problem: null,
      passed: Buffer.concat([...BEFORE, ...AFTER]),
    })
    expect(rows).toEqual(ROWS)
    reader.throwFailure()
  })

  test('behind one that the reader did not take are dropped, and the driver hears of the end', () => {
    const { reader, rows } = reading((row) => {
      if (row === 'row') throw new Error('not that one')
    })
    expect(receive(HONEST, { reader }).passed).toEqual(Buffer.concat([...BEFORE, ...AFTER]))
    expect(rows).toEqual(['', 'a'])
    expect(() => reader.throwFailure()).toThrow('not that one')
  })

  test('are the driver’s again when the reader has stopped', () => {
    const { reader, rows } = reading()
    reader.stop()
    expect(receive(HONEST, { reader }).passed).toEqual(HONEST)
    expect(rows).toEqual([])
  })
})
