import { beforeEach, describe, expect, test } from 'vitest'
import { StartRate } from './start-rate.ts'

let rate: StartRate
beforeEach(() => {
  rate = new StartRate()
})

/** Starts a request every `interval` ms from `from` to `until` while others wait. */
function startEvery(interval: number, from: number, until: number): void {
  for (let now = from; now <= until; now += interval) rate.started(now, 1, 100)
}

describe('the number of requests that a node starts per ms', () => {
  test('without a measurement, it is 1', () => {
    expect(rate.perMs(0)).toBe(1)
  })

  test('after requests waited for 20 s, it is the measured rate', () => {
    startEvery(4, 0, 20_000)
    expect(rate.perMs(20_000)).toBeCloseTo(1 / 4, 1)
  })

  test('if no request waits, a start changes nothing', () => {
    for (let now = 0; now < 20_000; now += 100) rate.started(now, 1, 0)
    expect(rate.perMs(20_000)).toBe(1)
  })

  test('after a stall of 200 ms, it is hardly lower', () => {
    rate.started(0, 1, 100)
    rate.started(200, 1, 100)
    expect(rate.perMs(200)).toBeGreaterThan(0.7)
  })

  test('if requests start faster, it rises', () => {
    startEvery(100, 0, 20_000)
    startEvery(1, 20_001, 30_000)
    expect(rate.perMs(30_000)).toBeGreaterThan(0.6)
  })

  test('a short break without waiting requests changes nothing, a break of more than 4 s ends the measurement', () => {
    startEvery(100, 0, 20_000)
    rate.started(20_100, 1, 0)
    const measured = rate.perMs(20_100)
    expect(measured).toBeLessThan(0.1)
    expect(rate.perMs(23_900)).toBe(measured)
    expect(rate.perMs(24_100)).toBe(1)
  })
})
