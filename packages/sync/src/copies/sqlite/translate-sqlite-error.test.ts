import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CopyError, CopyFullError, CopyUnavailableError } from '../copy.ts'
import { translateSqliteError } from './translate-sqlite-error.ts'

describe('errors of SQLite', () => {
  /** Returns the error that the driver throws when `work` changes a file with a table. */
  async function errorOf(work: (database: DatabaseSync, file: string) => void): Promise<unknown> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'shop.db')
    const database = new DatabaseSync(file)
    try {
      database.exec('create table t (a)')
      work(database, file)
    } catch (error) {
      return error
    } finally {
      database.close()
    }
    throw new Error('nothing was thrown')
  }
  const insert = 'insert into t values (randomblob(100000))'

  test.each([
    [
      'a read-only file',
      /^shop cannot be written; make/,
      (_database: DatabaseSync, file: string) => {
        using reader = new DatabaseSync(file, { readOnly: true })
        reader.exec(insert)
      },
    ],
    [
      'a file that cannot be opened',
      /^shop cannot be opened; it must be a file/,
      (_database: DatabaseSync, file: string) => {
        new DatabaseSync(path.dirname(file)).exec('begin')
      },
    ],
  ])(
    'if SQLite fails because of %s, a CopyError names this cause and says what to do',
    async (_what, message, work) => {
      const error = await errorOf(work)
      const translated = translateSqliteError(error, 'shop')
      expect(translated).toBeInstanceOf(CopyError)
      expect(translated).toMatchObject({ message: expect.stringMatching(message), cause: error })
    },
  )

  test('if SQLite reports a full disk, a CopyFullError says that the copy has no space and tells the user to run again', async () => {
    const error = await errorOf((database) => database.exec(`pragma max_page_count = 3; ${insert}`))
    const translated = translateSqliteError(error, 'shop')
    expect(translated).toBeInstanceOf(CopyFullError)
    expect(translated).toMatchObject({
      message: expect.stringMatching(/^shop has no space: .*full.*run again/),
      cause: error,
    })
  })

  test('if another program has locked the SQLite file, a CopyUnavailableError says so and tells the user to run again', async () => {
    const error = await errorOf((database, file) => {
      database.exec('begin exclusive')
      using other = new DatabaseSync(file, { timeout: 0 })
      other.exec(insert)
    })
    const translated = translateSqliteError(error, 'shop')
    expect(translated).toBeInstanceOf(CopyUnavailableError)
    expect(String(translated)).toMatch(/another program has locked shop .*run again/)
  })

  test('if SQLite fails for an unexpected reason, translateSqliteError returns the SQLite error unchanged', async () => {
    const error = await errorOf((database) => database.exec('select b from t'))
    expect(translateSqliteError(error, 'shop')).toBe(error)
  })
})
