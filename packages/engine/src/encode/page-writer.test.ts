import { integer, resource, text, timestamp, uuid } from '@store-export/contract'
import { readRows } from '@store-export/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MalformedRow, newCell } from '../../../postgres/src/cell.ts'
import { createSamples, type Samples, sampleId } from '../../test/support/samples.ts'
import { PageWriter } from './page-writer.ts'

const lines = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'Lines.',
  fields: { id: uuid('Id'), word: text('A text'), n: integer('A number'), created_at: timestamp('When') },
})
const UNBOUNDED = { rowsMax: 100, bytesMax: Number.MAX_SAFE_INTEGER }

let samples: Samples
let messages: Buffer[]

beforeAll(async () => {
  samples = await createSamples()
  await samples.sql`create table samples (id uuid primary key, word text, n integer, created_at timestamptz)`
  await samples.sql`insert into samples select ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid,
    repeat('x', 1000), n, timestamptz '2026-07-08T00:00:00.123456Z' + n * interval '1 microsecond'
    from generate_series(1, 10) n`
  messages = []
  const text = 'select id, word, n, created_at from public.samples order by id'
  await readRows(samples.reader, { text, values: [] }, ({ bytes, start, length }) => {
    messages.push(Buffer.from(bytes.subarray(start, start + length)))
  })
})
afterAll(() => samples.drop())

function written(bounds: { rowsMax: number; bytesMax: number }): PageWriter {
  const page = new PageWriter(lines, bounds, '[')
  for (const message of messages) page.take(newCell(message))
  return page
}

describe('limits of a page', () => {
  test('[PAG-2] if no row follows a page, hasMore is false', () => {
    expect(written(UNBOUNDED)).toMatchObject({ rows: 10, hasMore: false })
    expect(written({ ...UNBOUNDED, rowsMax: 10 })).toMatchObject({ rows: 10, hasMore: false })
  })

  test('[PAG-2] if a row follows a page, hasMore is true, and the page does not contain that row', () => {
    const page = written({ ...UNBOUNDED, rowsMax: 9 })
    expect(page).toMatchObject({ rows: 9, hasMore: true })
    expect(page.position()?.id).toBe(sampleId(9))
  })

  test('if a page reaches its maximum size in bytes, the page ends early, but has at least one row', () => {
    expect(written({ ...UNBOUNDED, bytesMax: 1 })).toMatchObject({ rows: 1, hasMore: true })
    const page = written({ ...UNBOUNDED, bytesMax: 3000 })
    expect(page).toMatchObject({ rows: 3, hasMore: true })
    expect(page.position()).toEqual({ id: sampleId(3), createdAt: page.position()?.createdAt })
  })

  test("[PAG-4, R15] if the last rows of two pages were created one microsecond apart, the timestamps of the pages' cursors differ by one microsecond", () => {
    const first = written({ ...UNBOUNDED, rowsMax: 1 }).position()?.createdAt ?? 0n
    const second = written({ ...UNBOUNDED, rowsMax: 2 }).position()?.createdAt ?? 0n
    expect(second - first).toBe(1n)
    expect(first % 1_000_000n).toBe(123_457n)
  })

  test('if a page is empty, PageWriter.position returns null', () => {
    expect(new PageWriter(lines, UNBOUNDED, '[').position()).toBeNull()
  })
})

describe('malformed messages for rows', () => {
  test("if PostgreSQL's message for a row is cut at any byte, PageWriter.take throws an error", () => {
    const [row = Buffer.alloc(0)] = messages.filter(({ length }) => length > 1000).slice(1)
    for (let length = 2; length < row.length; length++) {
      const page = new PageWriter(lines, UNBOUNDED, '[')
      expect(() => page.take(newCell(row.subarray(0, length))), `cut at ${length}`).toThrow()
    }
  })

  test('if the stated length of a row message ends within the row, PageWriter.take throws MalformedRow, although more bytes follow', () => {
    const [row = Buffer.alloc(0), next = Buffer.alloc(0)] = messages.filter(({ length }) => length > 1000).slice(1)
    const both = newCell(Buffer.concat([row, next]))
    for (let length = 2; length < row.length; length++) {
      const page = new PageWriter(lines, UNBOUNDED, '[')
      expect(() => page.take({ ...both, length }), `cut at ${length}`).toThrow(MalformedRow)
    }
  })

  test('if a row has fewer values than the statement selects, PageWriter.take throws MalformedRow', () => {
    const page = new PageWriter(lines, UNBOUNDED, '[')
    const row = Buffer.from(messages.at(-1) ?? Buffer.alloc(0))
    row.writeInt16BE(3, 0)
    expect(() => page.take(newCell(row))).toThrow(MalformedRow)
  })

  test('if a row has bytes after its last value, PageWriter.take throws MalformedRow', () => {
    const page = new PageWriter(lines, UNBOUNDED, '[')
    const row = Buffer.concat([messages.at(-1) ?? Buffer.alloc(0), Buffer.from([0])])
    expect(() => page.take(newCell(row))).toThrow(MalformedRow)
  })
})
