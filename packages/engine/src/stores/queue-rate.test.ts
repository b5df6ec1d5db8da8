import { expect, test } from 'vitest'
import { QueueRate } from './queue-rate.ts'

/** Releases a connection every `intervalMs`, for `lastsMs`, while `waiting` requests wait. */
function releaseEvery(intervalMs: number, lastsMs: number, waiting = 50): { rate: QueueRate; now: number } {
  const rate = new QueueRate()
  let now = 1000
  for (const end = now + lastsMs; now <= end; now += intervalMs) rate.released(now, waiting)
  return { rate, now }
}

test('if requests have been waiting for over 500 ms, the expected wait is the number of earlier requests times the interval of releases', () => {
  const { rate, now } = releaseEvery(10, 600)
  expect(rate.expectedWait(now - 10, 20)).toBeCloseTo(200)
  expect(rate.expectedWait(now - 10, 0)).toBe(0)
})

test('if requests have been waiting for less than 500 ms, no wait is expected, so that a short burst is served', () => {
  const { rate, now } = releaseEvery(10, 400)
  expect(rate.expectedWait(now, 1000)).toBe(0)
})

test('after the last waiting request got its connection, no wait is expected until requests wait for 500 ms again', () => {
  const { rate, now } = releaseEvery(10, 2000)
  rate.released(now, 1)
  expect(rate.expectedWait(now, 1000)).toBe(0)
  // A quiet time between two bursts does not count as an interval.
  rate.released(now + 60_000, 50)
  for (let ms = 10; ms <= 600; ms += 10) rate.released(now + 60_000 + ms, 50)
  expect(rate.expectedWait(now + 60_600, 20)).toBeCloseTo(200)
})

test('if the server becomes slower for longer than a stall, the expected wait follows the new interval', () => {
  const { rate, now } = releaseEvery(5, 1000)
  for (let count = 1; count <= 800; count++) rate.released(now + count * 40, 50)
  expect(rate.expectedWait(now + 32_000, 10)).toBeGreaterThan(390)
})

test('if no connection is released for half a second once, the expected wait grows by less than a third', () => {
  const { rate, now } = releaseEvery(10, 6000)
  rate.released(now + 500, 50)
  expect(rate.expectedWait(now + 500, 100)).toBeLessThan(1330)
})

test('if fewer than 16 connections were released since requests wait, no wait is expected', () => {
  const { rate, now } = releaseEvery(200, 2000)
  expect(rate.expectedWait(now, 1000)).toBe(0)
})
