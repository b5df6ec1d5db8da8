import { ApiError } from '@store-export/contract'
import { ControlDatabaseError } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import { expect, test } from 'vitest'
import { errorResponse } from './api-response.ts'

const waitOf = (error: unknown, random: number) => errorResponse(error, () => random).headers['retry-after']

test('[R41] the Retry-After of a 502 response is a random number from 1 to 5 seconds', () => {
  const error = new StoreDatabaseError('x')
  expect([0, 0.19, 0.2, 0.5, 0.999].map((random) => waitOf(error, random))).toEqual(['1', '1', '2', '3', '5'])
})

test('[R41] a 409 response has Retry-After: 30, a 429 has the wait that its ApiError specifies, and a 400 has no Retry-After', () => {
  expect(waitOf(new ApiError('STORE_NOT_READY', 'x'), 0.7)).toBe('30')
  expect(waitOf(new ApiError('RATE_LIMITED', 'x', { headers: { 'retry-after': '17' } }), 0)).toBe('17')
  expect(waitOf(new ApiError('INVALID_PARAM', 'x'), 0)).toBeUndefined()
})

test('[R5, ERR-3] if a database or the service itself fails, the 502 message says which one failed, but does not reveal the cause', () => {
  const cause = new Error('postgres://reader:hunter2@db.internal/shop')
  const messageOf = (error: unknown) => JSON.parse(errorResponse(error).body.toString()).error
  const tail = '; try again after the number of seconds in the header Retry-After, with exponential backoff'
  for (const [error, what] of [
    [new StoreDatabaseError('x', { cause }), 'the store database could not be read'],
    [
      new ControlDatabaseError('x', { cause }),
      'the service could not check the API key, because its own database did not respond',
    ],
    [cause, 'the service failed because of an internal error'],
  ] as const)
    expect(messageOf(error)).toEqual({ code: 'STORE_DB_ERROR', message: what + tail })
})
