import { expect, test } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'

/** Returns a breaker after failed attempts, each with its start and its end in ms. */
function afterFailures(...attempts: readonly (readonly [number, number])[]): CircuitBreaker {
  const breaker = new CircuitBreaker()
  for (const [start, end] of attempts) {
    breaker.begin(start)
    breaker.end(false, end)
  }
  return breaker
}

test('the breaker opens after 5 s of failed attempts, and closes when the last attempt is 5 s old and none is running', () => {
  const breaker = afterFailures([0, 1000], [1500, 4500], [5000, 8000])
  expect([5999, 6000, 12_999, 13_000].map((now) => breaker.isOpen(now, false))).toEqual([false, true, true, false])
  expect(breaker.isOpen(20_000, true)).toBe(true)
})

test('a failure 5 s or more after the last one starts a new series, which opens the breaker only after another 5 s', () => {
  const breaker = afterFailures([0, 0], [3_600_000, 3_600_001])
  expect(breaker.isOpen(3_600_002, false)).toBe(false)
  const lasting = afterFailures([0, 0], [3_600_000, 3_600_001], [3_604_000, 3_605_001])
  expect(lasting.isOpen(3_605_001, false)).toBe(true)
})

test('if an attempt reaches the server, the breaker closes', () => {
  const breaker = afterFailures([0, 0], [4000, 6000])
  expect(breaker.isOpen(6000, false)).toBe(true)
  breaker.end(true, 6500)
  expect(breaker.isOpen(6500, true)).toBe(false)
})
