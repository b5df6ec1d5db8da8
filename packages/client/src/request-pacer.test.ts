import { expect, test } from 'vitest'
import { RequestPacer } from './request-pacer.ts'

test('if the rate is 60 requests per minute and three requests reserve slots at the same time, the slots are one second apart', () => {
  const pacer = new RequestPacer(60)
  expect([pacer.reserve(0), pacer.reserve(0), pacer.reserve(0)]).toEqual([0, 1000, 2000])
})

test('if the last reserved slot is released, the next request gets this slot', () => {
  const pacer = new RequestPacer(60)
  pacer.reserve(0)
  pacer.release(pacer.reserve(0))
  expect(pacer.reserve(0)).toBe(1000)
})

test('if a slot before the last reserved slot is released, the next request gets the slot after the last reserved one', () => {
  const pacer = new RequestPacer(60)
  pacer.reserve(0)
  const second = pacer.reserve(0)
  pacer.reserve(0)
  pacer.release(second)
  expect(pacer.reserve(0)).toBe(3000)
})
