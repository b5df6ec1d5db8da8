import { expect, test } from 'vitest'
import { localeOf } from './dashboard-request.ts'

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'en-GB'],
  ['fr', 'en-GB'],
  ['en-US,en;q=0.9', 'en-US'],
  ['en-IE', 'en-IE'],
  ['en-u-nu-arab', 'en-GB'],
  ['', 'en'],
  [undefined, 'en'],
  ['*', 'en'],
  ['not a language', 'en-GB'],
  ['<script>', 'en-GB'],
  ['x'.repeat(1000), 'en-GB'],
])('if Accept-Language is %j, the locale of dates is %s', (accepted, locale) => {
  expect(localeOf(accepted)).toBe(locale)
})
