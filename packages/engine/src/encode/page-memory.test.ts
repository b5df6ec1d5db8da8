import { expect, test } from 'vitest'
import { newCell } from '../../../postgres/src/cell.ts'
import { JsonWriter } from './json-writer.ts'

const PAGE_BYTES = 500_000

test('after the buffer of a page is released, the next page reuses this buffer', () => {
  const first = new JsonWriter(PAGE_BYTES)
  const { bytes } = first
  first.release()
  expect(new JsonWriter(PAGE_BYTES).bytes).toBe(bytes)
})

test('if the buffer of a page is released twice, the next two pages have different buffers', () => {
  const first = new JsonWriter(PAGE_BYTES)
  first.release()
  first.release()
  expect(new JsonWriter(PAGE_BYTES).bytes).not.toBe(new JsonWriter(PAGE_BYTES).bytes)
})

test('writing to a page after the release of its buffer does not overwrite the next page', () => {
  const late = new JsonWriter(PAGE_BYTES)
  late.release()
  const next = new JsonWriter(PAGE_BYTES)
  next.putAscii('{"data":1}')
  late.putAscii('{"data":2}')
  expect(next.result().toString()).toBe('{"data":1}')
})

test('if a page exceeds its buffer, its bytes move unchanged to a larger buffer', () => {
  const page = new JsonWriter(PAGE_BYTES)
  page.putAscii('[')
  page.putRange(newCell(Buffer.alloc(1_000_000, 0x31)), 0, 1_000_000)
  expect(page.result().length).toBe(1_000_001)
  expect(page.result().subarray(0, 3).toString()).toBe('[11')
})
