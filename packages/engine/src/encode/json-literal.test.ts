import { expect, test } from 'vitest'
import { newCell } from '../../../postgres/src/cell.ts'
import { jsonLiteral } from './json-literal.ts'
import { JsonWriter } from './json-writer.ts'

test('if a JSON literal has 0 to 40 characters, JsonWriter writes the literal unchanged, without extra bytes', () => {
  for (let length = 0; length <= 40; length++) {
    const text = 'abcdefghijklmnopqrstuvwxyz{"0123456789":'.slice(0, length)
    const out = new JsonWriter(0)
    out.put(jsonLiteral(text))
    out.put(jsonLiteral(text))
    out.putByte(0x7d)
    expect(out.result().toString()).toBe(`${text}${text}}`)
  }
})

test('if a JSON literal is not printable ASCII, jsonLiteral throws a TypeError', () => {
  for (const text of ['ü', '\n', '\u007f']) expect(() => jsonLiteral(text)).toThrow(TypeError)
})

test('for each byte value at each position of a string, JsonWriter escapes the byte only if JSON requires an escape', () => {
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 0; place < 9; place++) {
      const source = Buffer.alloc(9, 0x61)
      source[place] = byte
      const out = new JsonWriter(0)
      out.writeText(newCell(source))
      const expected = byte < 0x80 ? JSON.stringify(source.toString('latin1')) : `"${source.toString('latin1')}"`
      expect(JSON.parse(out.result().toString('latin1'))).toBe(JSON.parse(expected))
      expect(out.length).toBe(byte < 0x20 ? 16 : byte === 0x22 || byte === 0x5c ? 12 : 11)
    }
  }
})
