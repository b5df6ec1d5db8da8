import { expect, test } from 'vitest'
import { CopyError } from '../copy.ts'
import { loadMySql } from './load-mysql.ts'
import { MySqlCopy } from './mysql-copy.ts'

test('if mysql2 is not installed, opening a MySQL copy throws a CopyError with the npm install command', async () => {
  const missing: string = '@store-export/not-installed'
  const copy = new MySqlCopy('mysql://shop@localhost/shop', () => loadMySql(() => import(missing)))
  const error = await copy.open([]).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(CopyError)
  expect(String(error)).toContain('mysql:// needs a package that is not installed; run npm install mysql2@3.24.6')
})
