import { expect, test } from 'vitest'
import { errorsOf } from './contract.ts'
import { ENDPOINTS } from './endpoints.ts'
import { ApiError, ERRORS } from './errors.ts'

test('[ERR-1] the contract defines the eight error codes of the specification with their statuses', () => {
  expect(Object.entries(ERRORS).map(([code, { status }]) => `${status} ${code}`)).toEqual([
    '401 INVALID_API_KEY',
    '403 STORE_NOT_SUPPORTED',
    '409 STORE_NOT_READY',
    '400 INVALID_PARAM',
    '400 INVALID_CURSOR',
    '404 NOT_FOUND',
    '429 RATE_LIMITED',
    '502 STORE_DB_ERROR',
  ])
})

test('each error code of the contract has a condition, a retry rule, a fix, and common mistakes', () => {
  for (const { condition, retry, fix, mistakes } of Object.values(ERRORS)) {
    expect(condition).toMatch(/\.$/)
    expect(retry).toMatch(/^(Yes|No|With)/)
    expect(fix.length).toBeGreaterThan(20)
    expect(mistakes.length).toBeGreaterThan(0)
  }
})

test('an ApiError has the status of its code unless another status is set, and its message does not contain the cause', () => {
  const cause = new Error('the password is hunter2')
  expect(new ApiError('NOT_FOUND', 'no')).toMatchObject({ code: 'NOT_FOUND', status: 404, headers: {}, message: 'no' })
  expect(new ApiError('NOT_FOUND', 'read-only', { status: 405 }).status).toBe(405)
  expect(new ApiError('STORE_DB_ERROR', 'try again', { cause })).toMatchObject({ cause, message: 'try again' })
})

test('for /store, /orders, and /orders/{id}, the contract lists the error codes that the endpoint can return', () => {
  const own = {
    '/store': [],
    '/orders': ['INVALID_PARAM', 'INVALID_CURSOR', 'NOT_FOUND'],
    '/orders/{id}': ['INVALID_PARAM', 'NOT_FOUND'],
  }
  for (const [path, codes] of Object.entries(own)) {
    const endpoint = ENDPOINTS.find((each) => each.path === `/api/v1${path}`)
    if (endpoint === undefined) throw new Error(path)
    expect(errorsOf(endpoint)).toEqual([
      ...['INVALID_API_KEY', 'STORE_NOT_SUPPORTED', 'STORE_NOT_READY'],
      ...codes,
      ...['RATE_LIMITED', 'STORE_DB_ERROR'],
    ])
  }
})
