import { expect, test } from 'vitest'
import { countText, rowsText, timeText } from './format.ts'

test.each([
  [400, '1 s'],
  [89_000, '89 s'],
  [240_000, '4 min'],
  [7_500_000, '2 h 05 min'],
])('timeText formats %i ms as %j', (ms, text) => {
  expect(timeText(ms)).toBe(text)
})

test('countText returns a singular noun only for 1, and rowsText pads the noun so that the next column aligns', () => {
  expect([0, 1, 2, 1200].map((count) => countText(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '1,200 rows'])
  expect(`${rowsText('store', 1)}  all`).toBe('  store                       1 row   all')
  expect(`${rowsText('orders', 2)}  all`).toBe('  orders                      2 rows  all')
  expect(rowsText('orders', 1, ' of 2')).toMatch(/ 1 of 2 rows$/)
})
