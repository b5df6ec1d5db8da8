import { expect, test } from 'vitest'
import { localeOf } from './visit.ts'

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
  ['fr', 'fr'],
  ['', 'en'],
  [undefined, 'en'],
  ['*', 'en'],
  ['not a language', 'en'],
  ['<script>', 'en'],
  ['x'.repeat(1000), 'en'],
])('a browser that accepts %s reads %s', (accepted, locale) => {
  expect(localeOf(accepted)).toBe(locale)
})
