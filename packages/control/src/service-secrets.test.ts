import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMigratedDatabase } from '../../../test/support/databases.ts'
import { openControlDatabase } from './database.ts'
import { EncryptionKey } from './password-encryption.ts'
import { readDashboardSecret } from './service-secrets.ts'

test("if a node can't decrypt the dashboard's secret, the error names the documentation section with the SQL that lets the node create a new secret", async () => {
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
  const page = 'docs/operate/rotate-secrets.md'
  await expect(read(current)).rejects.toThrow(`see "If the secret is lost" in ${page}`)
  const steps = (await readFile(path.join(import.meta.dirname, '../../..', page), 'utf8')).split(
    '## If the secret is lost',
  )
  const [statement = ''] = /delete from [^"]+/.exec(steps[1] ?? '') ?? []
  await database.pool.execute({ text: statement, values: [] })
  const after = await read(current)
  expect(after).not.toBe(before)
  expect(await read(current)).toBe(after)
})
