import { resource, text } from '@store-export/contract'
import { newCell } from '@store-export/postgres'
import { expect, test } from 'vitest'
import { ChildRows } from './child-rows.ts'
import { JsonWriter } from './json-writer.ts'
import { PageWriter } from './page-writer.ts'

const line = resource({
  name: 'Line',
  plural: 'lines',
  table: 'lines',
  note: 'Lines.',
  fields: { word: text('A text') },
})

/** A DataRow of a line of the parent at this position. */
function row(position: number, word: string): Buffer {
  const head = Buffer.alloc(14)
  head.writeInt16BE(2)
  head.writeInt32BE(8, 2)
  head.writeBigInt64BE(BigInt(position), 6)
  return Buffer.concat([head, Buffer.from([0, 0, 0, word.length]), Buffer.from(word)])
}

function childRows(rows: readonly Buffer[], bytesMax = 1_000_000): ChildRows {
  const children = new ChildRows(line, new PageWriter(line, { rowsMax: 250, bytesMax }, ''))
  for (const each of rows) children.take(newCell(each))
  return children
}

/** The words of the first rows of a page. */
function wordsOf(children: ChildRows, parents: number): string[][] {
  return Array.from({ length: parents }, () => {
    const out = new JsonWriter(4096)
    out.putByte(0x5b)
    children.writeNext(out)
    out.putByte(0x5d)
    return JSON.parse(out.result().toString()).map(({ word }: { word: string }) => word)
  })
}

test('[R29] if rows of several parents arrive, each parent gets its own in their order', () => {
  expect(wordsOf(childRows([row(1, 'x'), row(1, 'y'), row(2, 'z')]), 2)).toEqual([['x', 'y'], ['z']])
})

test('[R29] if a parent has no rows, its list is empty', () => {
  expect(wordsOf(childRows([row(2, 'x')]), 3)).toEqual([[], ['x'], []])
})

test('[R29] if rows of one parent do not follow one another, the page fails instead of losing some', () => {
  expect(() => childRows([row(1, 'x'), row(2, 'y'), row(1, 'z')])).toThrow('did not follow one another')
})

test('[R29] if the rows of the first parents fill the page, those of later parents take no memory', () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(Math.floor(index / 10) + 1, 'a word'))
  const children = childRows(rows, 400)
  expect(children.out.length).toBeGreaterThanOrEqual(400)
  expect(children.out.length).toBeLessThan(700)
  expect(wordsOf(children, 2).map(({ length }) => length)).toEqual([10, 10])
})
