import { resource, text } from '@store-export/contract'
import { newCell } from '@store-export/postgres'
import { expect, test } from 'vitest'
import { EmbeddedRows } from './embedded-rows.ts'
import { JsonWriter } from './json-writer.ts'
import { PageWriter } from './page-writer.ts'

const line = resource({
  name: 'Line',
  plural: 'lines',
  table: 'lines',
  note: 'Lines.',
  fields: { word: text('A text') },
})

/** Returns a DataRow with the number of its parent and a word. */
function row(parent: number, word: string): Buffer {
  const head = Buffer.alloc(14)
  head.writeInt16BE(2)
  head.writeInt32BE(8, 2)
  head.writeBigInt64BE(BigInt(parent), 6)
  return Buffer.concat([head, Buffer.from([0, 0, 0, word.length]), Buffer.from(word)])
}

function embeddedRows(rows: readonly Buffer[], bytesMax = 1_000_000): EmbeddedRows {
  const embedded = new EmbeddedRows(line, new PageWriter(line, { rowsMax: 250, bytesMax }, ''))
  for (const each of rows) embedded.take(newCell(each))
  return embedded
}

/** Returns the words of each parent. */
function wordsOf(embedded: EmbeddedRows, parents: number): string[][] {
  return Array.from({ length: parents }, () => {
    const out = new JsonWriter(4096)
    out.putByte(0x5b)
    embedded.writeNext(out)
    out.putByte(0x5d)
    return JSON.parse(out.result().toString()).map(({ word }: { word: string }) => word)
  })
}

test('[R29] if embedded rows belong to several parents, each parent gets its own rows in order', () => {
  expect(wordsOf(embeddedRows([row(1, 'x'), row(1, 'y'), row(2, 'z')]), 2)).toEqual([['x', 'y'], ['z']])
})

test('[R29] if a parent has no embedded rows, the parent gets an empty array', () => {
  expect(wordsOf(embeddedRows([row(2, 'x')]), 3)).toEqual([[], ['x'], []])
})

test('[R29] if the embedded rows of one parent are not consecutive, EmbeddedRows.take throws an error', () => {
  expect(() => embeddedRows([row(1, 'x'), row(2, 'y'), row(1, 'z')])).toThrow('did not follow one another')
})

test('[R29] if the embedded rows of some parents reach the maximum size of a page, the rows of later parents are not encoded', () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(Math.floor(index / 10) + 1, 'a word'))
  const embedded = embeddedRows(rows, 400)
  expect(embedded.out.length).toBeGreaterThanOrEqual(400)
  expect(embedded.out.length).toBeLessThan(700)
  expect(wordsOf(embedded, 2).map(({ length }) => length)).toEqual([10, 10])
})
