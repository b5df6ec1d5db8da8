import { asControlDatabase, UnknownStore } from '@store-export/control'
import { PostgresConnectionError, TimeLimitPassed } from '@store-export/postgres'
import { describe, expect, test } from 'vitest'
import { EmbeddedPostgresError } from './embedded/embedded-postgres-error.ts'
import { databaseErrorMessage, explainError } from './explain-error.ts'
import { UsageError, UserError } from './user-error.ts'

const failure = (code: string, more: object = {}) => Object.assign(new Error('driver message'), { code, ...more })

const OTHER_PROGRAM =
  'the store database has a table, an index, or a column with this name, which another program created'

describe('explanations of errors', () => {
  test('if an error message already says what to do, explainError returns the message unchanged', () => {
    expect(explainError(new UserError('do this'))).toEqual({ code: 'failed', message: 'do this', exitCode: 1 })
    const embedded = { code: 'embedded_database_failed', message: 'do that', exitCode: 1 }
    expect(explainError(new EmbeddedPostgresError('do that'))).toEqual(embedded)
    expect(explainError(new UsageError('add --store'))).toEqual({ code: 'usage', message: 'add --store', exitCode: 2 })
    expect(explainError(new UnknownStore('x'))).toMatchObject({ code: 'unknown_store', exitCode: 1 })
  })

  test.each([
    [failure('ECONNREFUSED'), 'the store database cannot be reached'],
    [failure('ENOENT', { syscall: 'connect' }), 'the store database cannot be reached'],
    [
      new PostgresConnectionError('ENOENT', 'driver message', { cause: failure('ENOENT', { syscall: 'connect' }) }),
      'the store database cannot be reached',
    ],
    [failure('CONNECT_TIMEOUT'), 'the store database does not respond'],
    [failure('POOL_FULL'), 'no connection to the store database became free in time'],
    [failure('EPROTO'), 'the server of the store database does not speak the protocol of PostgreSQL'],
    [failure('EAUTH'), 'the client and the server of the store database could not authenticate each other'],
    [failure('28P01'), 'the store database rejects the user or the password'],
    [failure('3D000'), 'the store database does not exist'],
    [failure('42P07'), OTHER_PROGRAM],
    [failure('42701'), OTHER_PROGRAM],
    [failure('42703'), 'a table of the store database lacks a column that this step needs'],
    [failure('42501'), 'the role that connects to the store database lacks a privilege'],
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
        message: expect.stringContaining(`the store database cannot be reached: driver message (${code})`),
        exitCode: 75,
      })
    },
  )

  test.each([
    'connection to the remote node role@10.0.0.3:5432 failed with the following error: Connection refused',
    'could not establish any connections to the node 10.0.0.3:5432 after 5000 ms',
  ])('if the coordinator of Citus fails with "%s", explainError names the worker', async (text) => {
    const failed = asControlDatabase('postgres://role@db/control', () =>
      Promise.reject(Object.assign(new Error(text), { code: '08006' })),
    )
    const error: unknown = await failed.catch((reason: unknown) => reason)
    expect(explainError(error)).toMatchObject({
      message: expect.stringMatching(
        /^the worker 10\.0\.0\.3:5432 of the control database at db:5432 does not respond: /,
      ),
      exitCode: 75,
    })
  })

  test('if a database error is temporary, such as a refused connection, explainError returns the exit code 75 (temporary failure)', () => {
    const temporary = [
      failure('ECONNREFUSED'),
      failure('ENOENT', { syscall: 'connect' }),
      failure('57P03'),
      failure('53300'),
      new TimeLimitPassed('no response within 10 ms'),
    ]
    for (const error of temporary)
      expect(explainError(error)).toMatchObject({ code: 'database_unreachable', exitCode: 75 })
  })

  test.each([
    [
      failure('ECONNREFUSED'),
      'cannot be reached: driver message (ECONNREFUSED); check the host and the port in STORE_EXPORT_DATABASE_URL, and that the server runs',
    ],
    [
      failure('CONNECT_TIMEOUT'),
      'does not respond: driver message (CONNECT_TIMEOUT); check its server, then run the command again',
    ],
    [
      new TimeLimitPassed('no response within 10 ms'),
      'does not respond: no response within 10 ms; check its server, then run the command again',
    ],
    [
      failure('28P01'),
      'rejects the user or the password: driver message (28P01); check both in STORE_EXPORT_DATABASE_URL',
    ],
  ])(
    'if the control database fails (%s), the message names it with its host, and what to check',
    async (error, end) => {
      const url = 'postgres://me:hush@db-0.internal/control'
      await expect(asControlDatabase(url, () => Promise.reject(error))).rejects.toBe(error)
      expect(explainError(error)?.message).toBe(`the control database at db-0.internal:5432 ${end}`)
    },
  )

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
