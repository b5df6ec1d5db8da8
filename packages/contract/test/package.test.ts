// Tests the published package in a folder where nothing else is installed.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { ENDPOINTS, openapi } from '@store-export/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { compileBeside, type Installed, installPacked, lintPackage, PATIENCE } from '../../../test/support/packing.ts'

vi.setConfig(PATIENCE)

const run = promisify(execFile)

let installed: Installed
beforeAll(async () => {
  installed = await installPacked('contract')
})
afterAll(() => installed.remove())

test('if the contract package is installed in an empty folder, a program can import the same contract as from the source', async () => {
  const program = `
import { ENDPOINTS, openapi } from '@store-export/contract'
console.log(JSON.stringify({ paths: ENDPOINTS.map(({ path }) => path), document: openapi() }))
`
  await writeFile(path.join(installed.folder, 'program.js'), program)
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: installed.folder })
  const exported = JSON.parse(stdout)
  expect(exported.paths).toEqual(ENDPOINTS.map((endpoint) => endpoint.path))
  expect(exported.document).toEqual(JSON.parse(JSON.stringify(openapi())))
})

test('the contract package contains only the license, the README, package.json, and built files', () => {
  const { files, manifest } = installed.package('contract')
  expect(files.filter((file) => !/^dist\/.*(?:\.d\.ts|\.js)$/.test(file))).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ])
  expect(files.filter((file) => file.includes('.test.'))).toEqual([])
  for (const name of ['private', 'dependencies', 'scripts']) expect(Object.keys(manifest)).not.toContain(name)
})

test('the example in the README of the contract package compiles in strict TypeScript', async () => {
  const readme = readFileSync(path.join(installed.package('contract').folder, 'README.md'), 'utf8')
  const [, source = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  expect(source).toContain('@store-export/contract')
  expect(await compileBeside(installed, source, ['--target', 'es2022', '--lib', 'es2024,dom'])).toBe('')
})

test('publint and are-the-types-wrong find no problem in the contract package', async () => {
  expect(await lintPackage(installed.package('contract'))).toEqual([])
})
