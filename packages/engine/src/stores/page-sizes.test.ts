import { expect, test } from 'vitest'
import { PageSizes } from './page-sizes.ts'

const MEGABYTE = 1_000_000

test('a list that is not known is asked for as many rows as the client wants', () => {
  expect(new PageSizes(8 * MEGABYTE).rowsFor('a', 250)).toBe(250)
})

test('rows of a megabyte are asked for by the ten where eight fill a page, and at least one', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  expect(sizes.rowsFor('a', 3)).toBe(3)
  sizes.served('a', { rows: 1, bytes: 80 * MEGABYTE })
  expect(sizes.rowsFor('a', 250)).toBe(1)
})

test('a page of small rows lifts the bound again, an empty one teaches nothing', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.served('a', { rows: 8, bytes: 8 * MEGABYTE })
  sizes.served('a', { rows: 0, bytes: 50 })
  expect(sizes.rowsFor('a', 250)).toBe(10)
  sizes.served('a', { rows: 10, bytes: 20_000 })
  expect(sizes.rowsFor('a', 250)).toBe(250)
})

test('a page that was too slow is asked for with fewer rows, of that list alone', () => {
  const sizes = new PageSizes(8 * MEGABYTE)
  sizes.tooSlow('a', 250)
  expect(sizes.rowsFor('a', 250)).toBe(62)
  expect(sizes.rowsFor('b', 250)).toBe(250)
  sizes.tooSlow('a', 1)
  expect(sizes.rowsFor('a', 250)).toBe(1)
})
