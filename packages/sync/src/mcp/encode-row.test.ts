import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { encodeRow } from './encode-row.ts'

const SQL = /substr\(column, (\d+), (\d+)\)/

/** Returns the value that SQLite returns for the expression in the note of a cut value. */
function readRest(value: string | Uint8Array): unknown {
  const [, start = '', length = ''] = SQL.exec(encodeRow([value])) ?? []
  const database = new DatabaseSync(':memory:')
  const row = database.prepare('select substr(?, ?, ?) as rest').get(value, Number(start), Number(length))
  database.close()
  return row?.rest
}

test('if an MCP result cuts a string of emoji, a note gives the SQL expression that returns the rest of the string', () => {
  const text = `${'🛒'.repeat(2000)}END`
  expect(encodeRow([text])).toContain(`${'🛒'.repeat(2000)}… [cut: 2003 characters;`)
  expect(readRest(text)).toBe('END')
})

test('if a string has 2,000 emoji, an MCP result contains the whole string', () => {
  expect(encodeRow(['🛒'.repeat(2000)])).toBe(JSON.stringify(['🛒'.repeat(2000)]))
})

test("if an MCP result cuts a blob, a note gives the blob's size and the SQL expression that returns the rest", () => {
  const blob = new Uint8Array(1500).fill(7)
  blob[1499] = 9
  expect(encodeRow([blob])).toContain(`x'${'07'.repeat(1000)}'… [cut: 1500 bytes;`)
  expect(readRest(blob)).toEqual(blob.subarray(1000))
})
