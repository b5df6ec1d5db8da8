import { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { isFirstSending } from './sent-forms.ts'
import { statementDialect } from './statement-dialect.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

interface Tables {
  sent_forms: { number: Buffer; sent_at: Date }
}

test('queries run as single statements, and tell how many rows they changed', async () => {
  const database = new Kysely<Tables>({ dialect: statementDialect(control.database) })
  await isFirstSending(control.database, Buffer.from('one'))
  const old = new Date('2020-01-01T00:00:00Z')
  const [changed] = await database.updateTable('sent_forms').set({ sent_at: old }).execute()
  expect(changed?.numUpdatedRows).toBe(1n)
  expect(await database.selectFrom('sent_forms').select('sent_at').where('sent_at', '=', old).execute()).toEqual([
    { sent_at: old },
  ])
  await expect(database.transaction().execute(async () => undefined)).rejects.toThrow('it has no transactions')
})
