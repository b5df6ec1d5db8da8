import { expect, test } from 'vitest'
import { serverMessage as message } from '../test/support/server-message.ts'
import { askForBinary } from './connection-formats.ts'

function bind(values: string, formats: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(`\0name\0\0\0${values}`), formats])
  return message('B', body.length + 4, body)
}

const PARSE = message('P', 16, Buffer.from('name\0select\0'))
const EXECUTE = message('E', 9, Buffer.alloc(5))
const SYNC = message('S', 4)
const TEXT = Buffer.from([0, 0])
const BINARY = Buffer.from([0, 1, 0, 1])

test('each message that binds a statement asks for binary values, and the others leave as they are', () => {
  const asked = [PARSE, bind('one', TEXT), EXECUTE, bind('', TEXT), EXECUTE, SYNC]
  const expected = [PARSE, bind('one', BINARY), EXECUTE, bind('', BINARY), EXECUTE, SYNC]
  expect(askForBinary(Buffer.concat(asked))).toEqual(Buffer.concat(expected))
})

test('the first message of a connection, which has no type, leaves as it is', () => {
  const startup = Buffer.concat([Buffer.from([0, 0, 0, 12, 0, 3, 0, 0]), bind('', TEXT)])
  expect(askForBinary(startup)).toBe(startup)
})

test('what binds nothing is not copied', () => {
  const bytes = Buffer.concat([PARSE, SYNC])
  expect(askForBinary(bytes)).toBe(bytes)
})
