import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'

test('the example in the README of the PostgreSQL client prints the documented output', async () => {
  const folder = path.join(import.meta.dirname, '..')
  const readme = await readFile(path.join(folder, 'README.md'), 'utf8')
  const [, code = '', output = ''] = /```ts\n(.*?)```.*?```\n(.*?)```/s.exec(readme) ?? []
  const file = path.join(folder, 'test', `readme-${process.pid}.ts`)
  onTestFinished(() => rm(file))
  await writeFile(file, code)
  const env = { ...process.env, DATABASE_URL: inject('postgresUrl'), NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
  expect(stdout).toBe(output)
})
