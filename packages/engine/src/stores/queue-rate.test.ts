import { expect, test } from 'vitest'
import { QueueRate } from './queue-rate.ts'

/** Releases a connection every `intervalMs`, for `lastsMs`, while `waiting` requests wait. */
function releaseEvery(intervalMs: number, lastsMs: number, waiting = 50): { rate: QueueRate; now: number } {
  const rate = new QueueRate()
  let now = 1000
  for (const end = now + lastsMs; now <= end; now += intervalMs) rate.released(now, waiting)
  return { rate, now }
}

test('if requests have waited for over 500 ms, expectedWait returns the number of requests ahead times the interval between released connections', () => {
  const { rate, now } = releaseEvery(10, 600)
  expect(rate.expectedWait(now - 10, 20)).toBeCloseTo(200)
  expect(rate.expectedWait(now - 10, 0)).toBe(0)
})

test('if requests have waited for less than 500 ms, expectedWait returns 0, so that a short burst is served', () => {
  const { rate, now } = releaseEvery(10, 400)
  expect(rate.expectedWait(now, 1000)).toBe(0)
})

test('if the queue was empty, expectedWait returns 0 until requests have again waited for 500 ms without a break', () => {
  const { rate, now } = releaseEvery(10, 2000)
  rate.released(now, 1)
  expect(rate.expectedWait(now, 1000)).toBe(0)
  // A quiet time between two bursts does not count as an interval.
  rate.released(now + 60_000, 50)
  for (let ms = 10; ms <= 600; ms += 10) rate.released(now + 60_000 + ms, 50)
  expect(rate.expectedWait(now + 60_600, 20)).toBeCloseTo(200)
})

test('if the interval between released connections grows from 5 ms to 40 ms for 32 s, expectedWait uses the new interval', () => {
  const { rate, now } = releaseEvery(5, 1000)
  for (let count = 1; count <= 800; count++) rate.released(now + count * 40, 50)
  expect(rate.expectedWait(now + 32_000, 10)).toBeGreaterThan(390)
})

test('if one pause of half a second interrupts the release of connections, expectedWait grows by less than a third', () => {
  const { rate, now } = releaseEvery(10, 6000)
  rate.released(now + 500, 50)
  expect(rate.expectedWait(now + 500, 100)).toBeLessThan(1330)
})

test('if fewer than 16 connections have been released since requests began to wait, expectedWait returns 0', () => {
  const { rate, now } = releaseEvery(200, 2000)
  expect(rate.expectedWait(now, 1000)).toBe(0)
})
