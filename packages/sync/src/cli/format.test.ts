import { expect, test } from 'vitest'
import { timeText } from './format.ts'

test.each([
  [400, '1 s'],
  [89_000, '89 s'],
  [240_000, '4 min'],
  [7_500_000, '2 h 05 min'],
])('if the time is %i ms, timeText returns %j', (ms, text) => {
  expect(timeText(ms)).toBe(text)
})
