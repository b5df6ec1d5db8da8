import { expect, test } from 'vitest'
import { failureReason } from './failure-reason.ts'
import { StoreDatabaseError } from './store-database-error.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

test('failureReason returns "server_full" for the PostgreSQL error 53300 (too many connections)', () => {
  expect(failureReason(withCode('53300'))).toBe('server_full')
})

test('failureReason returns the reason of a StoreDatabaseError, or "query" if the error has no reason', () => {
  const cause = withCode('ECONNREFUSED')
  expect(failureReason(new StoreDatabaseError('x', { cause, reason: 'server_unreachable' }))).toBe('server_unreachable')
  expect(failureReason(new StoreDatabaseError('x', { cause }))).toBe('query')
})

test('failureReason returns "query" for a lost open connection, other PostgreSQL errors, and a value without a code', () => {
  for (const error of [withCode('ECONNRESET'), withCode('42501'), withCode('53400'), new Error('x'), undefined, 'text'])
    expect(failureReason(error)).toBe('query')
})
