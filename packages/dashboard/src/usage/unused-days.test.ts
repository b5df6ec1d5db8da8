import { expect, test } from 'vitest'
import { unusedDays } from './unused-days.ts'

const NOW = new Date('2026-11-21T09:30:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

test.each([
  [29.9, null],
  [30, 30],
  [45.5, 45],
])('if a key was created %d days ago and never used, unusedDays returns %s', (created, days) => {
  expect(unusedDays({ createdAt: daysAgo(created), lastUsedAt: null }, NOW)).toBe(days)
})

test.each([
  [0.1, null],
  [89.9, null],
  [90, 90],
  [94.5, 94],
])('if a key was last used %d days ago, unusedDays returns %s', (used, days) => {
  expect(unusedDays({ createdAt: daysAgo(400), lastUsedAt: daysAgo(used) }, NOW)).toBe(days)
})
