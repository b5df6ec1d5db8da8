import { expect, test } from 'vitest'
import { failureReason } from './failure-reason.ts'
import { StoreDatabaseError } from './store-database-error.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

test('if PostgreSQL reports too many connections (53300), the failure reason is "server_full"', () => {
  expect(failureReason(withCode('53300'))).toBe('server_full')
})

test('failureReason returns the reason of a StoreDatabaseError, or "query" if the error has no reason', () => {
  const cause = withCode('ECONNREFUSED')
  expect(failureReason(new StoreDatabaseError('x', { cause, reason: 'server_unreachable' }))).toBe('server_unreachable')
  expect(failureReason(new StoreDatabaseError('x', { cause }))).toBe('query')
})

test('if an open connection was lost or the error has an unknown code, the failure reason is "query"', () => {
  for (const error of [withCode('ECONNRESET'), withCode('42501'), new Error('x'), undefined, 'text'])
    expect(failureReason(error)).toBe('query')
})
