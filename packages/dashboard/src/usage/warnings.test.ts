import { ALL_PERMISSIONS } from '@store-export/control'
import { expect, test } from 'vitest'
import type { KeyRow } from '../pages/key-models.ts'
import { warningsOf } from './warnings.ts'

const NOW = new Date('2026-11-21T09:30:00Z')
const HOUR_MS = 3_600_000
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS)

function keyUsed(lastUsedAt: Date | null, more: Partial<KeyRow> = {}): KeyRow {
  const visible = {
    id: 'k',
    name: 'ERP',
    prefix: 'sdx_7Hq2Lm9x',
    lastFour: 'w3Zk',
    createdBy: null,
    ...ALL_PERMISSIONS,
  }
  return {
    ...visible,
    createdAt: NOW,
    lastUsedAt,
    revokedAt: null,
    retiresAt: null,
    requests24h: 0,
    replacedBy: null,
    ...more,
  }
}

/** Returns usage in each of these hours before the current one. */
function usedIn(hours: readonly number[], more: { successful?: number; clientErrors?: number; failed?: number } = {}) {
  const sums = { successful: 4, clientErrors: 0, rejected: 0, failed: 0, peakMinute: 1, ...more }
  return hours
    .toSorted((one, other) => other - one)
    .map((ago) => ({ keyId: 'k', hour: new Date(Math.floor(hoursAgo(ago).getTime() / HOUR_MS) * HOUR_MS), ...sums }))
}

const kinds = (options: Omit<Parameters<typeof warningsOf>[0], 'now'>) =>
  warningsOf({ ...options, now: NOW }).map(({ kind }) => kind)
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

test.each([
  ['each hour until six hours ago', ['silent'], every(1, 6, 100), 6.5],
  ['each hour until this one', [], every(1, 0, 100), 0.1],
  ['each night until 30 hours ago', [], every(24, 30, 180), 30.5],
  ['each night until 36 hours ago', ['silent'], every(24, 36, 180), 36.5],
  ['in office hours until yesterday evening', [], [16, 17, 18, 40, 41, 42, 64, 65, 66], 16.5],
  ['in four hours of one afternoon', [], [20, 21, 22, 23], 20.5],
  ['twice', [], [30, 100], 30.5],
])('if a key was used %s, the usage page has the warnings %j', (...row) => {
  const [, expected, hours, lastUsedHoursAgo] = row
  expect(kinds({ keys: [keyUsed(hoursAgo(lastUsedHoursAgo))], hours: usedIn(hours), stopped: [] })).toEqual(expected)
})

test('if a key is being replaced and no longer used, the usage page has no warning', () => {
  const replacedBy = { id: 'n', prefix: 'sdx_8Hq2Lm9x', lastFour: 'w3Zk' }
  const keys = [keyUsed(hoursAgo(6.5), { replacedBy })]
  expect(kinds({ keys, hours: usedIn(every(1, 6, 100)), stopped: [] })).toEqual([])
})

test('if all requests of a key failed for an hour, the usage page warns; if one succeeded, it does not', () => {
  const keys = [keyUsed(NOW)]
  expect(kinds({ keys, hours: usedIn([0, 1], { successful: 0, failed: 3 }), stopped: [] })).toEqual(['failing'])
  expect(kinds({ keys, hours: usedIn([0], { successful: 0, clientErrors: 4 }), stopped: [] })).toEqual([])
  expect(kinds({ keys, hours: usedIn([0], { successful: 1, failed: 50 }), stopped: [] })).toEqual([])
})

test('if a key stopped during a sync and is no longer used, the usage page warns only about the sync', () => {
  const walk = { keyId: 'k', endpoint: '/api/v1/orders', lastAt: hoursAgo(6), pages: 3, rows: 750 }
  const keys = [keyUsed(hoursAgo(6.5)), keyUsed(null, { id: 'other' })]
  const hours = usedIn(every(1, 6, 100))
  expect(kinds({ keys, hours, stopped: [walk] })).toEqual(['stopped'])
})
