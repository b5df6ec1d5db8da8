import { UnknownStore } from '@store-export/control'
import { ConnectionError } from '@store-export/postgres'
import { describe, expect, test } from 'vitest'
import { EmbeddedProblem } from './embedded/problems.ts'
import { explain, Problem, UsageProblem } from './problem.ts'

const failure = (code: string, more: object = {}) => Object.assign(new Error('said the driver'), { code, ...more })

describe('explain', () => {
  test('a problem is its own sentence; wrong usage ends with 2', () => {
    expect(explain(new Problem('do this'))).toEqual({ code: 'failed', sentence: 'do this', exitCode: 1 })
    const embedded = { code: 'embedded_database_failed', sentence: 'do that', exitCode: 1 }
    expect(explain(new EmbeddedProblem('do that'))).toEqual(embedded)
    expect(explain(new UsageProblem('say it so'))).toEqual({ code: 'usage', sentence: 'say it so', exitCode: 2 })
    expect(explain(new UnknownStore('x'))).toMatchObject({ code: 'unknown_store', exitCode: 1 })
  })

  test.each([
    [failure('ECONNREFUSED'), 'the database cannot be reached'],
    [failure('ENOENT', { syscall: 'connect' }), 'the database cannot be reached'],
    [
      new ConnectionError('ENOENT', 'said the driver', { cause: failure('ENOENT', { syscall: 'connect' }) }),
      'the database cannot be reached',
    ],
    [failure('CONNECT_TIMEOUT'), 'the database does not answer'],
    [failure('POOL_FULL'), 'no database connection became free in time'],
    [failure('EPROTO'), 'the server does not speak the protocol of PostgreSQL'],
    [failure('EAUTH'), 'the server and the client could not authenticate each other'],
    [failure('28P01'), 'the database refuses the user or the password'],
    [failure('3D000'), 'the database does not exist'],
    [failure('42P07'), 'a table, an index or a column of that name is there already, made by somebody else'],
    [failure('42701'), 'a table, an index or a column of that name is there already, made by somebody else'],
    [failure('42703'), 'a table lacks a column that the step needs'],
    [failure('42501'), 'the role of the connection URL lacks a right'],
  ])('%o of a database is a sentence', (error, beginning) => {
    expect(explain(error)).toMatchObject({ sentence: `${beginning}: said the driver (${error.code})` })
  })

  test.each(['ENOTFOUND', 'ETIMEOUT', 'ECANCELLED', 'ESERVFAIL', 'EREFUSED'])(
    'a host name whose resolution fails with %s is a database that cannot be reached, and the command can succeed later',
    (code) => {
      expect(explain(failure(code))).toEqual({
        code: 'database_unreachable',
        sentence: `the database cannot be reached: said the driver (${code})`,
        exitCode: 75,
      })
    },
  )

  test('a database that cannot be reached has an exit code of its own, because the command can succeed later', () => {
    const passing = [
      failure('ECONNREFUSED'),
      failure('ENOENT', { syscall: 'connect' }),
      failure('57P03'),
      failure('53300'),
    ]
    for (const error of passing) expect(explain(error)).toMatchObject({ code: 'database_unreachable', exitCode: 75 })
    for (const code of ['28P01', '3D000', 'SELF_SIGNED_CERT_IN_CHAIN']) {
      expect(explain(failure(code))).toMatchObject({ code: 'database_error', exitCode: 1 })
    }
  })

  test('what nobody expected is a bug and has no explanation', () => {
    for (const error of [new TypeError('x'), failure('ENOENT', { syscall: 'open' }), failure('42601'), 'text'])
      expect(explain(error)).toBeNull()
  })
})
