import { expect, test } from 'vitest'
import { PageSizes } from './page-sizes.ts'

const MEGABYTE = 1_000_000

test('if a list has not been read yet, its first page reads as many rows as the limit of the request', () => {
  expect(new PageSizes(8 * MEGABYTE).rowsFor('a', 250)).toBe(250)
})

test('if a page had large rows, the next page reads a quarter more rows than fit into a page, but at least one', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  expect(sizes.rowsFor('a', 3)).toBe(3)
  sizes.served('a', { rows: 1, bytes: 80 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(1)
})

test('if a page had small rows after pages of large rows, the next page reads as many rows as the request allows', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  sizes.served('a', { rows: 0, bytes: 50 })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  sizes.served('a', { rows: 10, bytes: 20_000 })
  expect(sizes.rowsFor('a', 250)).toBe(250)
})

test('if a page of a list was too slow, the next page of that list reads a quarter of the rows, but at least one', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.tooSlow('a', 250)
  expect(sizes.rowsFor('a', 250)).toBe(62)
  expect(sizes.rowsFor('b', 250)).toBe(250)
  sizes.tooSlow('a', 1)
  expect(sizes.rowsFor('a', 250)).toBe(1)
})
