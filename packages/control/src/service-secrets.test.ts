import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createMigratedDatabase } from '../../../test/support/databases.ts'
import { openControlDatabase } from './database.ts'
import { EncryptionKey } from './password-encryption.ts'
import { readDashboardSecret } from './service-secrets.ts'

test("if the stored dashboard secret can't be decrypted, the error contains the SQL statement that resets it", async () => {
  const { url, drop } = await createMigratedDatabase()
  const database = openControlDatabase(url, { poolSize: 1 })
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  const read = (current: EncryptionKey) =>
    readDashboardSecret({ database, keys: { current, previous: null }, random: randomBytes })
  const [lost, current] = [new EncryptionKey(randomBytes(32)), new EncryptionKey(randomBytes(32))]
  const before = await read(lost)
  const error: unknown = await read(current).catch((reason: unknown) => reason)
  const [statement = ''] = /delete from .*$/.exec(String(error)) ?? []
  await database.pool.execute({ text: statement, values: [] })
  const after = await read(current)
  expect(after).not.toBe(before)
  expect(await read(current)).toBe(after)
})
