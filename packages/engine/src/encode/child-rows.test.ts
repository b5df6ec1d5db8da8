import { resource, text, uuid } from '@store-export/contract'
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
  fields: { parent_id: uuid('Parent'), word: text('A text') },
})

const PARENTS = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'].map((bytes) => Buffer.from(bytes))

/** A DataRow of a line. */
function row(parent: number, word: string): Buffer {
  const head = Buffer.from([0, 2, 0, 0, 0, 16])
  return Buffer.concat([
    head,
    PARENTS[parent] ?? Buffer.alloc(16),
    Buffer.from([0, 0, 0, word.length]),
    Buffer.from(word),
  ])
}

function childRows(...rows: readonly Buffer[]): ChildRows {
  const children = new ChildRows(line, 'parent_id', new PageWriter(line, { rowsMax: 250, bytesMax: 1_000_000 }, ''))
  for (const each of rows) children.take(newCell(each))
  return children
}

function wordsOf(children: ChildRows, parent: number): string[] {
  const out = new JsonWriter(4096)
  out.putByte(0x5b)
  children.write(out, newCell(PARENTS[parent]))
  out.putByte(0x5d)
  return JSON.parse(out.result().toString()).map(({ word }: { word: string }) => word)
}

test('[R29] if rows of several parents arrive, each parent gets its own in their order', () => {
  const children = childRows(row(1, 'x'), row(1, 'y'), row(0, 'z'))
  expect([wordsOf(children, 0), wordsOf(children, 1)]).toEqual([['z'], ['x', 'y']])
})

test('[R29] if a parent has no rows, its list is empty', () => {
  expect(wordsOf(childRows(row(1, 'x')), 0)).toEqual([])
})

test('[R29] if rows of one parent do not follow one another, the page fails instead of losing some', () => {
  expect(() => childRows(row(0, 'x'), row(1, 'y'), row(0, 'z'))).toThrow('did not follow one another')
})
