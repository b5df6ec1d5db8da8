import { expect, test } from 'vitest'
import { ReconnectPause } from './reconnect-pause.ts'

test('failures last after 5 s of failed attempts, until the last attempt is 5 s old', () => {
  const pause = new ReconnectPause()
  for (const at of [0, 2000, 4000, 6000]) pause.failed(new Error('refused'), at)
  expect([4999, 5000, 10_999, 11_000].map((now) => pause.isLasting(now))).toEqual([false, true, true, false])
})

test('after a success, failures last only after another 5 s of failed attempts', () => {
  const pause = new ReconnectPause()
  for (const at of [0, 6000]) pause.failed(new Error('refused'), at)
  pause.succeeded()
  for (const at of [7000, 11_000]) pause.failed(new Error('refused'), at)
  expect([11_999, 12_000].map((now) => pause.isLasting(now))).toEqual([false, true])
})
