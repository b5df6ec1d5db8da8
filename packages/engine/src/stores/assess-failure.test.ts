import { TimeLimitPassed } from '@store-export/postgres'
import { expect, test } from 'vitest'
import { assessFailure, type FailedAttempt } from './assess-failure.ts'

const USED: FailedAttempt = {
  cause: new Error('any'),
  isFresh: false,
  isConnecting: false,
  hasResponded: true,
  durationMs: 10,
  timeoutMs: 5000,
}
const OPENED: FailedAttempt = { ...USED, isFresh: true, isConnecting: true, hasResponded: false }

function error(code: string, more: object = {}): Error {
  return Object.assign(new Error(code), { code }, more)
}

test.each(
  [
    {
      event: 'a statement fails on a connection that has responded before',
      use: { ...USED, cause: error('42P01', { severity: 'ERROR' }) },
      delayed: [],
    },
    {
      event: 'a connection that has responded before is cut',
      use: { ...USED, cause: error('ECONNRESET') },
      delayed: [],
    },
    {
      event: 'a request fails after more than half of the time limit',
      use: { ...USED, durationMs: 2501 },
      delayed: ['store'],
    },
    {
      event: 'a new connection does not respond for more than a fifth of the time limit',
      use: { ...OPENED, cause: new TimeLimitPassed('late'), durationMs: 1001 },
      delayed: ['store'],
    },
    {
      event: 'the server requests a password that the URL lacks',
      use: { ...OPENED, cause: error('EAUTH') },
      delayed: ['store'],
      isFinal: true,
    },
    {
      event: 'the server refuses the connection',
      use: { ...OPENED, cause: error('ECONNREFUSED') },
      delayed: ['store', 'server'],
      isFinal: true,
    },
    {
      event: 'the host name does not exist',
      use: { ...OPENED, cause: error('ENOTFOUND') },
      delayed: ['store', 'server'],
      isFinal: true,
    },
    {
      event: 'the database does not exist',
      use: { ...OPENED, cause: error('3D000', { severity: 'FATAL' }) },
      delayed: ['store'],
      isFinal: true,
    },
    {
      event: 'an administrator ends the session',
      use: { ...OPENED, cause: error('57P01', { severity: 'FATAL' }) },
      delayed: [],
    },
    {
      event: 'a new connection is closed after it was ready',
      use: { ...OPENED, isConnecting: false, cause: error('CONNECTION_CLOSED') },
      delayed: ['store'],
    },
  ].map((each) => ({
    ...each,
    what: each.delayed.length > 0 ? `the ${each.delayed.join()}` : 'neither the store nor the server',
  })),
)('[ERR-3] if $event, the service delays new connections to $what', ({ use, delayed, isFinal = false }) => {
  expect(assessFailure(use)).toEqual({ delayed, full: null, isFinal })
})

test.each([
  { routine: 'InitProcess', full: 'server', delayed: 'server' },
  { routine: 'InitializeSessionUserId', full: 'role', delayed: 'store' },
  { routine: 'CheckMyDatabase', full: 'database', delayed: 'store' },
])(
  '[ERR-3] if PostgreSQL reports too many connections of a $full (routine $routine), the service delays new connections to the $delayed',
  (expected) => {
    const { routine, full, delayed } = expected
    const cause = error('53300', { severity: 'FATAL', routine })
    expect(assessFailure({ ...OPENED, cause })).toEqual({ delayed: [delayed], full, isFinal: false })
  },
)
