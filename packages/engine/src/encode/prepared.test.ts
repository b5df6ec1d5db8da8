import { expect, test } from 'vitest'
import { newCell } from '../../../postgres/src/cell.ts'
import { JsonWriter } from './json-writer.ts'
import { prepare } from './prepared.ts'

test('text of any length is put as it is, and what comes next stands right behind it', () => {
  for (let length = 0; length <= 40; length++) {
    const text = 'abcdefghijklmnopqrstuvwxyz{"0123456789":'.slice(0, length)
    const out = new JsonWriter(0)
    out.put(prepare(text))
    out.put(prepare(text))
    out.putByte(0x7d)
    expect(out.result().toString()).toBe(`${text}${text}}`)
  }
})

test('only plain ASCII can be prepared', () => {
  for (const text of ['ü', '\n', '\u007f']) expect(() => prepare(text)).toThrow(TypeError)
})

test('each of the 256 bytes is escaped where JSON asks for it, wherever in a word it stands', () => {
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
