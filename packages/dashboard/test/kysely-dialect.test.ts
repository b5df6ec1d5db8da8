import { consumeFormToken } from '@store-export/control'
import { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../control/test/support/control-database.ts'
import { kyselyDialect } from '../src/accounts/kysely-dialect.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

interface Tables {
  used_form_tokens: { token_hash: Buffer; used_at: Date }
}

const OLD = new Date('2020-01-01T00:00:00Z')

function kysely(): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: kyselyDialect(control.database.pool) })
}

test('through kyselyDialect, an update returns the number of changed rows, and a select returns the rows', async () => {
  const database = kysely()
  await consumeFormToken(control.database, Buffer.from('one'))
  const [changed] = await database.updateTable('used_form_tokens').set({ used_at: OLD }).execute()
  expect(changed?.numUpdatedRows).toBe(1n)
  expect(await database.selectFrom('used_form_tokens').select('used_at').where('used_at', '=', OLD).execute()).toEqual([
    { used_at: OLD },
  ])
})

test('a Kysely transaction rolls back if its callback throws and commits otherwise, and releases its connection in both cases', async () => {
  const database = kysely()
  const insert = (text: string) => ({ token_hash: Buffer.from(text), used_at: OLD })
  const failing = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('used_form_tokens').values(insert('rolled back')).execute()
    throw new Error('on purpose')
  })
  await expect(failing).rejects.toThrow('on purpose')
  await database
    .transaction()
    .execute((transaction) => transaction.insertInto('used_form_tokens').values(insert('committed')).execute())
  const hashes = await database.selectFrom('used_form_tokens').select('token_hash').execute()
  expect(hashes.map(({ token_hash }) => token_hash.toString())).toContain('committed')
  expect(hashes.map(({ token_hash }) => token_hash.toString())).not.toContain('rolled back')
  expect(control.database.pool.sums.busy).toBe(0)
})

test('if a Kysely insert violates a unique constraint, execute rejects with the PostgreSQL error code 23505 and releases the connection', async () => {
  const database = kysely()
  const twice = { token_hash: Buffer.from('twice'), used_at: OLD }
  const insertTwice = () => database.insertInto('used_form_tokens').values(twice).execute()
  await insertTwice()
  await expect(insertTwice()).rejects.toMatchObject({ name: 'PostgresError', code: '23505' })
  expect(control.database.pool.sums).toMatchObject({ busy: 0, waiting: 0 })
})
