import { ALL_PERMISSIONS } from '@store-export/control'
import { expect, test } from 'vitest'
import type { KeyRow, RequestSums } from '../pages/key-models.ts'
import { type SyncHealthOptions, syncHealth } from './sync-health.ts'

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
    turnedOffAt: null,
    retiresAt: null,
    requests24h: 0,
    rejected24h: 0,
    replacedBy: null,
    ...more,
  }
}

/** Returns usage in each of these hours before the current one. */
function usedIn(hours: readonly number[], more: Partial<RequestSums> = {}) {
  const sums = { successful: 4, clientErrors: 0, rejected: 0, failed: 0, peakMinute: 1, ...more }
  return hours
    .toSorted((one, other) => other - one)
    .map((ago) => ({ keyId: 'k', hour: new Date(Math.floor(hoursAgo(ago).getTime() / HOUR_MS) * HOUR_MS), ...sums }))
}

const MINUTE_MS = 60_000
const every = (stepHours: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / stepHours) + 1 }, (_, index) => from + index * stepHours)
const activeAt = (hoursBefore: readonly number[]) => {
  const minutes = hoursBefore.map((ago) => Math.floor(hoursAgo(ago).getTime() / MINUTE_MS) * MINUTE_MS)
  return [{ keyId: 'k', minutes: minutes.toSorted((one, other) => one - other) }]
}
const health = (more: Partial<SyncHealthOptions>) => {
  const nothing = { key: keyUsed(hoursAgo(0.1)), hours: [], activity: [], unfinished: [], errors: [], turnedOnAt: null }
  return syncHealth({ ...nothing, timeZone: 'UTC', now: NOW, ...more })
}
const walk = (lastAt: Date) => {
  return { keyId: 'k', endpoint: '/api/v1/orders', lastAt, pages: 20, rows: 5000, rowsOfList: 12_000 }
}

test('if a key was never used, its health is "unused"', () => {
  expect(health({ key: keyUsed(null) })).toEqual({ kind: 'unused' })
})

test('if a tool runs every hour, its health is "upToDate" half an hour after the last run, and "silent" after two hours without a run', () => {
  const options = (last: number) => ({ key: keyUsed(hoursAgo(last)), activity: activeAt(every(1, last, 200)) })
  const intervalMs = HOUR_MS
  expect(health(options(0.5))).toEqual({ kind: 'upToDate', lastUsedAt: hoursAgo(0.5), intervalMs })
  expect(health(options(2))).toEqual({ kind: 'silent', lastUsedAt: hoursAgo(2), intervalMs })
})

test(`if a key is being replaced and its hourly tool last used it six hours ago, the key's health is "upToDate", not "silent"`, () => {
  const replacedBy = { id: 'n', prefix: 'sdx_8Hq2Lm9x', lastFour: 'w3Zk', endsAfterHours: 24 }
  const options = { key: keyUsed(hoursAgo(6), { replacedBy }), activity: activeAt(every(1, 6, 200)) }
  expect(health(options)).toMatchObject({ kind: 'upToDate' })
})

test('if a tool without a regular schedule sends no request for 14 days, its health changes from "upToDate" to "idle"', () => {
  const lastUsed = (days: number) => ({ key: keyUsed(hoursAgo(days * 24)) })
  expect(health(lastUsed(13.9))).toMatchObject({ kind: 'upToDate', intervalMs: null })
  expect(health(lastUsed(14))).toEqual({ kind: 'idle', lastUsedAt: hoursAgo(14 * 24) })
})

test('if a tool with a daily schedule sends no request for 20 days, its health is "silent", not "idle"', () => {
  const options = { key: keyUsed(hoursAgo(20 * 24)), activity: activeAt(every(24, 20 * 24, 31 * 24)) }
  expect(health(options)).toMatchObject({ kind: 'silent' })
})

test('if a tool has not finished reading a list, its health is "reading" for five minutes after the last page, then "stopped"', () => {
  const reading = walk(hoursAgo(4.99 / 60))
  expect(health({ unfinished: [reading] })).toEqual({ kind: 'reading', walk: reading })
  const stopped = walk(hoursAgo(5 / 60))
  expect(health({ unfinished: [stopped] })).toEqual({ kind: 'stopped', walk: stopped })
})

test.each([
  ['five errors in this hour', [usedIn([0], { successful: 0, failed: 5 })], 'failing'],
  ['four errors in this hour', [usedIn([0], { successful: 0, clientErrors: 4 })], 'upToDate'],
  ['one error on each of three days', [usedIn([1, 25, 49], { successful: 0, failed: 1 })], 'failing'],
  ['a success and 50 errors in this hour', [usedIn([0], { successful: 1, failed: 50 })], 'upToDate'],
  ['errors yesterday and successes today', [usedIn([25], { successful: 0, failed: 9 }), usedIn([1])], 'upToDate'],
])('if a key has $0, its health is $2', (_, hours, kind) => {
  expect(health({ hours: hours.flat() }).kind).toBe(kind)
})

test('if all requests of a key since its last success failed, its health is "failing" with their number, first hour, and newest error', () => {
  const error = { keyId: 'k', endpoint: '/api/v1/orders', status: 429, code: 'RATE_LIMITED', lastAt: NOW }
  const hours = [...usedIn([5]), ...usedIn([3, 1], { successful: 0, rejected: 4 })]
  const since = hours[1]?.hour
  expect(health({ hours, errors: [error] })).toEqual({ kind: 'failing', requests: 8, since, error })
})

test('if a key is turned off, its health is "off", even after errors, an unfinished list, and missed runs', () => {
  const key = keyUsed(hoursAgo(30), { turnedOffAt: hoursAgo(29) })
  const before = { activity: activeAt(every(1, 30, 200)), hours: usedIn([30, 31], { successful: 0, failed: 9 }) }
  expect(health({ key, ...before, unfinished: [walk(hoursAgo(30))] })).toEqual({ kind: 'off', since: hoursAgo(29) })
})

test('after a key is turned on again, its health ignores earlier errors and unfinished lists, and counts missed runs from that time', () => {
  const key = keyUsed(hoursAgo(30))
  const before = {
    key,
    activity: activeAt(every(1, 30, 200)),
    hours: usedIn([30, 31], { successful: 0, failed: 9 }),
    unfinished: [walk(hoursAgo(30))],
  }
  expect(health(before).kind).toBe('failing')
  expect(health({ ...before, hours: [] }).kind).toBe('stopped')
  expect(health({ ...before, hours: [], unfinished: [] }).kind).toBe('silent')
  expect(health({ ...before, turnedOnAt: hoursAgo(1) }).kind).toBe('upToDate')
  expect(health({ ...before, turnedOnAt: hoursAgo(2) }).kind).toBe('silent')
})
