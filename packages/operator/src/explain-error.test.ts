import { UnknownStore } from '@store-export/control'
import { PostgresConnectionError } from '@store-export/postgres'
import { describe, expect, test } from 'vitest'
import { EmbeddedPostgresError } from './embedded/embedded-postgres-error.ts'
import { databaseErrorMessage, explainError } from './explain-error.ts'
import { UsageError, UserError } from './user-error.ts'

const failure = (code: string, more: object = {}) => Object.assign(new Error('driver message'), { code, ...more })

describe('explanations of errors', () => {
  test('if an error message already says what to do, explainError returns the message unchanged', () => {
    expect(explainError(new UserError('do this'))).toEqual({ code: 'failed', message: 'do this', exitCode: 1 })
    const embedded = { code: 'embedded_database_failed', message: 'do that', exitCode: 1 }
    expect(explainError(new EmbeddedPostgresError('do that'))).toEqual(embedded)
    expect(explainError(new UsageError('add --store'))).toEqual({ code: 'usage', message: 'add --store', exitCode: 2 })
    expect(explainError(new UnknownStore('x'))).toMatchObject({ code: 'unknown_store', exitCode: 1 })
  })

  test.each([
    [failure('ECONNREFUSED'), 'the database cannot be reached'],
    [failure('ENOENT', { syscall: 'connect' }), 'the database cannot be reached'],
    [
      new PostgresConnectionError('ENOENT', 'driver message', { cause: failure('ENOENT', { syscall: 'connect' }) }),
      'the database cannot be reached',
    ],
    [failure('CONNECT_TIMEOUT'), 'the database does not respond'],
    [failure('POOL_FULL'), 'no database connection became free in time'],
    [failure('EPROTO'), 'the server does not speak the protocol of PostgreSQL'],
    [failure('EAUTH'), 'the server and the client could not authenticate each other'],
    [failure('28P01'), 'the database rejects the user or the password'],
    [failure('3D000'), 'the database does not exist'],
    [failure('42P07'), 'a table, an index, or a column with this name exists, and another program created it'],
    [failure('42701'), 'a table, an index, or a column with this name exists, and another program created it'],
    [failure('42703'), 'a table lacks a column that this step needs'],
    [failure('42501'), 'the role of the connection URL lacks a privilege'],
  ])(
    'if a database connection fails with code $code, explainError returns a message with the cause, the code, and a remedy',
    (error, beginning) => {
      const explanation = explainError(error)
      expect(explanation?.message).toMatch(new RegExp(`^${beginning}: driver message \\(${error.code}\\); \\w`))
      expect(databaseErrorMessage(error)).toBe(`${beginning}: driver message (${error.code})`)
    },
  )

  test.each(['ENOTFOUND', 'ETIMEOUT', 'ECANCELLED', 'ESERVFAIL', 'EREFUSED'])(
    "if a host name can't be resolved (%s), explainError returns the exit code 75 (temporary failure)",
    (code) => {
      expect(explainError(failure(code))).toMatchObject({
        code: 'database_unreachable',
        message: expect.stringContaining(`the database cannot be reached: driver message (${code})`),
        exitCode: 75,
      })
    },
  )

  test('if a database error is temporary, such as a refused connection, explainError returns the exit code 75 (temporary failure)', () => {
    const temporary = [
      failure('ECONNREFUSED'),
      failure('ENOENT', { syscall: 'connect' }),
      failure('57P03'),
      failure('53300'),
    ]
    for (const error of temporary)
      expect(explainError(error)).toMatchObject({ code: 'database_unreachable', exitCode: 75 })
  })

  test('if a database error is permanent, such as a rejected password, explainError returns the exit code 1', () => {
    for (const code of ['28P01', '3D000', 'SELF_SIGNED_CERT_IN_CHAIN']) {
      expect(explainError(failure(code))).toMatchObject({ code: 'database_error', exitCode: 1 })
    }
  })

  test('explainError returns null for an unexpected error, such as a TypeError or a string', () => {
    for (const error of [new TypeError('x'), failure('ENOENT', { syscall: 'open' }), failure('42601'), 'text'])
      expect(explainError(error)).toBeNull()
  })
})
