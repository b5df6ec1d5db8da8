import { expect, test } from 'vitest'
import { testFrame } from '../../test/support/frame.ts'
import { usageView } from './usage-view.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const NONE = { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }

/** Returns the page with keys that have these numbers of requests. */
function pageOf(...requests: readonly number[]): string {
  const keys = requests.map((successful, at) => ({
    ...{ ...NONE, successful },
    ...{ id: `k${at}`, name: `Key ${at}`, isActive: true, href: '/usage' },
  }))
  const successful = requests.reduce((all, each) => all + each, 0)
  const chart = { range: '30d', periods: [{ start: NOW, ...NONE, successful }], ranges: [] } as const
  const page = { chart, keys, allKeysHref: '/usage', selectedKeyId: null }
  return String(usageView(testFrame({ section: 'usage', now: NOW }), page))
}

/** Returns the widths of the bars next to the keys with these numbers of requests. */
function shareBars(...requests: readonly number[]): (string | undefined)[] {
  return [...pageOf(...requests).matchAll(/class="share"[^>]*><rect width="([^"]+)"/g)].map(([, width]) => width)
}

test("on the Usage page, a key with requests has a bar as wide as its share of the busiest key's requests, at least 1%", () => {
  expect(shareBars(5000, 2500, 1, 0)).toEqual(['100.0%', '50.0%', '1.0%'])
  expect(shareBars(0, 0)).toEqual([])
})

test('if no key has requests in the chosen range, the Usage page says "No requests in the last 30 days" and shows no chart', () => {
  const empty = pageOf(0, 0)
  expect(empty).toContain('No requests in the last 30 days')
  expect(empty).not.toContain('class="chart"')
  expect(pageOf(1)).toContain('class="chart"')
})
