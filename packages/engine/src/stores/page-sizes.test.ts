import { expect, test } from 'vitest'
import { PageSizes } from './page-sizes.ts'

const MEGABYTE = 1_000_000

test('if a list is new, the page size is the limit of the request', () => {
  expect(new PageSizes(8 * MEGABYTE).rowsFor('a', 250)).toBe(250)
})

test('after a page of large rows, the page size is a quarter more rows than fit, and at least one', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  expect(sizes.rowsFor('a', 3)).toBe(3)
  sizes.served('a', { rows: 1, bytes: 80 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(1)
})

test('after a page of small rows, the page size grows', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  sizes.served('a', { rows: 0, bytes: 50 })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  sizes.served('a', { rows: 10, bytes: 20_000 })
  expect(sizes.rowsFor('a', 250)).toBe(250)
})

test('after a page that was too slow, the page size of this list is a quarter of its rows', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.tooSlow('a', 250)
  expect(sizes.rowsFor('a', 250)).toBe(62)
  expect(sizes.rowsFor('b', 250)).toBe(250)
  sizes.tooSlow('a', 1)
  expect(sizes.rowsFor('a', 250)).toBe(1)
})
