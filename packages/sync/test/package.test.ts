// Installs the packed command and library in an empty folder and runs them.

import { execFileSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  compileBeside,
  type Installed,
  installPacked,
  lintPackage,
  MACHINE_NODE,
  PATIENCE,
} from '../../../test/support/packing.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { callText, connectMcp } from './support/mcp-client.ts'
import { type ExitResult, runProgram } from './support/run-program.ts'

vi.setConfig(PATIENCE)

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
/** Small enough that people can read the code before they run it. */
const SIZE_MAX = 104 * 1024

const hasOlderNode = MACHINE_NODE !== undefined && majorOf(MACHINE_NODE) < 24

let platform: TestPlatform
let store: TestStore
let installed: Installed
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, now(), now() from generate_series(1, 600) n`
  installed = await installPacked('client', 'contract', 'sync')
})
afterAll(async () => {
  await installed.remove()
  await platform.close()
})

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10)
}

/** Runs the installed command like a shell, with the given `node`. */
function command(args: readonly string[], node = process.execPath): Promise<ExitResult> {
  const env = { PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`, STORE_EXPORT_KEY: store.key }
  const file = path.join(installed.folder, 'node_modules', '.bin', 'store-sync')
  return runProgram(file, args, { cwd: installed.folder, env })
}

describe('the installed store-sync', () => {
  test('if the installed store-sync runs twice with --to sqlite, the copy contains all orders', async () => {
    const args = ['run', '--url', platform.service.url, '--to', 'sqlite:shop.db']
    expect(await command(args)).toMatchObject({ code: 0, stdout: '' })
    expect(await command(args)).toMatchObject({ code: 0, stdout: '' })
    const database = new DatabaseSync(path.join(installed.folder, 'shop.db'), { readOnly: true })
    const row = database.prepare('select count(*) as orders, min(total) as total from orders_overview').get()
    database.close()
    expect({ ...row }).toEqual({ orders: 600, total: 10.5 })
  })

  test('if an MCP host starts the installed store-sync, a query returns the rows of the copy', async () => {
    const copy = path.join(installed.folder, 'assistant.db')
    await command(['run', '--url', platform.service.url, '--to', `sqlite:${copy}`])
    const file = path.join(installed.folder, 'node_modules', '.bin', 'store-sync')
    const client = await connectMcp(['--from', `sqlite:${copy}`], { file })
    const text = await callText(client, 'query', { sql: 'select count(*) as orders from orders' })
    await client.close()
    expect(text).toContain('["orders"]\n[600]')
  })

  test('if the installed store-sync runs with --to csv, orders.csv has all orders', async () => {
    expect(await command(['run', '--url', platform.service.url, '--to', 'csv:shop'])).toMatchObject({ code: 0 })
    const text = await readFile(path.join(installed.folder, 'shop', 'orders.csv'), 'utf8')
    expect(text.trimEnd().split('\r\n')).toHaveLength(601)
  })

  test.each(['parquet:files', 'duckdb:shop.duckdb'])(
    'if DuckDB is not installed, the installed store-sync prints the npm install command for --to %s',
    async (to) => {
      const { code, stderr } = await command(['run', '--url', platform.service.url, '--to', to])
      const [[name, version] = []] = Object.entries(installed.package('sync').manifest.peerDependencies)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^store-sync: [^\n]+\n$/)])
      expect(stderr).toContain(`npm install ${name}@${version}`)
    },
  )

  test('the installed store-sync prints the version of its package for --version, and its options for run --help', async () => {
    const { version } = installed.package('sync').manifest
    expect(await command(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const help = await command(['run', '--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('--url <url>')
  })

  test.skipIf(!hasOlderNode)(
    'if Node.js is too old, the installed store-sync says that it needs Node 24 and exits with code 1',
    async () => {
      const { code, stdout, stderr } = await command(['--version'], MACHINE_NODE)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^store-sync needs Node 24, this is \d+\.\S+ and .*: install Node 24 .*\.\n$/)
    },
  )
})

describe('the package of store-sync', () => {
  test('the package of store-sync contains JavaScript and types, no sources or tests, and is smaller than 104 KiB', async () => {
    const { files, tarball } = installed.package('sync')
    const others = files.filter((file) => !/^dist\/.*(?:\.d\.ts|\.js)$/.test(file))
    expect(others).toEqual(['LICENSE', 'README.md', 'package.json'])
    expect(files.filter((file) => file.includes('test'))).toEqual([])
    expect((await stat(tarball)).size).toBeLessThan(SIZE_MAX)
  })

  test('the README in the package of store-sync names every destination of --help', async () => {
    const [, destinations = ''] = /^Destinations: (.*)$/m.exec((await command(['--help'])).stdout) ?? []
    const readme = await readFile(path.join(installed.package('sync').folder, 'README.md'), 'utf8')
    expect(destinations.split(', ').length).toBeGreaterThan(1)
    for (const each of destinations.split(', ')) expect(readme).toContain(`\`${each}\``)
  })

  test('the package of store-sync depends on the client and contract versions of the same build', () => {
    const { manifest } = installed.package('sync')
    expect(Object.keys(manifest)).not.toContain('scripts')
    for (const name of ['client', 'contract'])
      expect(manifest.dependencies[`@store-export/${name}`]).toBe(installed.package(name).manifest.version)
  })

  test('the example in the README of store-sync compiles in strict TypeScript', async () => {
    const readme = await readFile(path.join(installed.package('sync').folder, 'README.md'), 'utf8')
    const [, source = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    expect(source).toContain('@store-export/sync')
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules', '@types')]
    const options = [...types, '--target', 'esnext', '--lib', 'es2024,esnext.disposable']
    expect(await compileBeside(installed, source, options)).toBe('')
  })

  test('publint and are-the-types-wrong find no problem in the package of store-sync', async () => {
    expect(await lintPackage(installed.package('sync'))).toEqual([])
  })
})
