import { expect, test } from 'vitest'
import { PageSizes } from './page-sizes.ts'

const MEGABYTE = 1_000_000

test('if a list is new, reads the rows of the limit', () => {
  expect(new PageSizes(8 * MEGABYTE).rowsFor('a', 250)).toBe(250)
})

test('after a page of large rows, reads a quarter more rows than fit, and at least one', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  expect(sizes.rowsFor('a', 3)).toBe(3)
  sizes.served('a', { rows: 1, bytes: 80 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(1)
})

test('after a page of small rows, raises the estimate; after an empty page, doesn’t change it', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  sizes.served('a', { rows: 0, bytes: 50 })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  sizes.served('a', { rows: 10, bytes: 20_000 })
  expect(sizes.rowsFor('a', 250)).toBe(250)
})

test('after a page that was too slow, reads a quarter of its rows from this list', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.tooSlow('a', 250)
  expect(sizes.rowsFor('a', 250)).toBe(62)
  expect(sizes.rowsFor('b', 250)).toBe(250)
  sizes.tooSlow('a', 1)
  expect(sizes.rowsFor('a', 250)).toBe(1)
})
