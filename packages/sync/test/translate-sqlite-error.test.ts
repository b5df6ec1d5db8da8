import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CopyError, CopyUnavailableError } from '../src/copies/copy.ts'
import { translateSqliteError } from '../src/copies/sqlite/translate-sqlite-error.ts'

describe('what SQLite refuses is told with the copy, what to do, and whether a later run may succeed:', () => {
  /** What the driver throws when `work` is done to a file with a table. */
  async function refusal(work: (database: DatabaseSync, file: string) => void): Promise<unknown> {
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
    throw new Error('nothing was refused')
  }
  const insert = 'insert into t values (randomblob(100000))'

  test.each([
    [
      'a full disk',
      /^shop has no space: .*full.*run again/,
      (database: DatabaseSync) => {
        database.exec(`pragma max_page_count = 3; ${insert}`)
      },
    ],
    [
      'a file that may not be written',
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
  ])('%s', async (_what, sentence, work) => {
    const error = await refusal(work)
    const problem = translateSqliteError(error, 'shop')
    expect(problem).toBeInstanceOf(CopyError)
    expect(problem).toMatchObject({ message: expect.stringMatching(sentence), cause: error })
  })

  test('a file that another program holds, which passes', async () => {
    const error = await refusal((database, file) => {
      database.exec('begin exclusive')
      using other = new DatabaseSync(file, { timeout: 0 })
      other.exec(insert)
    })
    const problem = translateSqliteError(error, 'shop')
    expect(problem).toBeInstanceOf(CopyUnavailableError)
    expect(String(problem)).toMatch(/another program has locked shop .*run again/)
  })

  test('a defect of ours stays one', async () => {
    const error = await refusal((database) => database.exec('select b from t'))
    expect(translateSqliteError(error, 'shop')).toBe(error)
  })
})
