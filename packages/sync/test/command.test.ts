import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts'
import { createDatabase } from '../../../test/support/databases.ts'
import { mountDisk } from '../../../test/support/mount-disk.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { type ExitResult, runProgram } from './support/run-program.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', 'src', 'main.ts')

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, now(), now() from generate_series(1, 2000) n`
})
afterAll(() => platform.close())

async function createFile(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, 'shop.db')
}

function command(args: readonly string[], env: Record<string, string> = {}): Promise<ExitResult> {
  return runProgram(process.execPath, [COMMAND, ...args], {
    env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key, ...env },
  })
}

/** Starts `store-sync run --every 1s`. `stop` sends SIGTERM and returns the exit code. */
function startEvery(to: string, env: Record<string, string> = {}) {
  const args = [COMMAND, 'run', '--url', platform.service.url, '--to', to, '--every', '1s']
  const child = spawn(process.execPath, args, {
    env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return {
    messages: () => text,
    async stop(): Promise<number | null> {
      child.kill('SIGTERM')
      const [code] = await exit
      return code
    },
  }
}

/** Starts a proxy to the service that behaves like a service without the query parameter `name`. */
async function startOlderService(url: string, name: string): Promise<string> {
  const server = http.createServer((message, response) => {
    const target = new URL(message.url ?? '/', url)
    const isIgnored = target.searchParams.has(name)
    target.searchParams.delete(name)
    const { host: _, ...headers } = message.headers
    const forward = http.request(target, { headers }, (received) => {
      const ignored = isIgnored ? { 'x-ignored-params': name } : {}
      response.writeHead(received.statusCode ?? 502, { ...received.headers, ...ignored })
      received.pipe(response)
    })
    forward.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

function orders(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('select count(*) as rows from orders').get()
  database.close()
  return Number(row?.rows)
}

describe('the command store-sync', () => {
  test('store-sync run prints messages to standard error; with --json, it prints events to standard output instead', async () => {
    const file = await createFile()
    const args = ['run', '--url', platform.service.url, '--to', `sqlite:${file}`]
    const first = await command(args)
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr).toMatch(/orders +2,000 rows +[\d,]+\/s {2}all\n/)
    expect(first.stderr).toMatch(/is up to date: 2,00\d rows read, \d+ requests, \d+\.\d s\n$/)
    expect(orders(file)).toBe(2000)
    const second = await command([...args, '--json'])
    const lines = second.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(second.stderr).toBe('')
    expect(lines).toContainEqual(expect.objectContaining({ event: 'table', table: 'orders', mode: 'updated' }))
    expect(lines.at(-1)).toMatchObject({ event: 'run', store_id: store.id })
  })

  test("[R9] if the service ignores a parameter, store-sync run exits with code 1, names the parameter, and leaves the copy's rows unchanged", async () => {
    const file = await createFile()
    const to = ['--to', `sqlite:${file}`]
    await command(['run', '--url', platform.service.url, ...to])
    await store.sql`update orders set email = 'new@example.com' where email = 'o@example.com'`
    const older = await startOlderService(platform.service.url, 'updated_since')
    const { code, stderr } = await command(['run', '--url', older, ...to])
    await store.sql`update orders set email = 'o@example.com'`
    expect(code).toBe(1)
    expect(stderr).toContain(
      'updated_since: /api/v1/orders does not have this parameter and ignored it; leave it out, or use a newer service\n',
    )
    const database = new DatabaseSync(file, { readOnly: true })
    const row = database.prepare('select count(*) as n from orders where email = ?').get('new@example.com')
    database.close()
    expect(row?.n).toBe(0)
  })

  test.each([
    ['csv', 'orders_overview.csv'],
    ['xlsx', 'shop.xlsx'],
  ])('if store-sync run gets --to %s:PATH, the run writes the file %s', async (kind, name) => {
    const folder = path.dirname(await createFile())
    const to = kind === 'csv' ? `csv:${folder}` : `xlsx:${path.join(folder, name)}`
    const ended = await command(['run', '--url', platform.service.url, '--to', to])
    expect(ended).toMatchObject({ code: 0, stdout: '' })
    expect(existsSync(path.join(folder, name))).toBe(true)
  })

  test('if the variable in --to env:NAME contains a PostgreSQL URL, store-sync run writes all orders to the schema in the URL', async () => {
    const { url, drop } = await createDatabase()
    onTestFinished(drop)
    const target = new URL(url)
    target.searchParams.set('schema', 'shop')
    const args = ['run', '--url', platform.service.url, '--to', 'env:TARGET']
    const ended = await command(args, { TARGET: target.href })
    expect(ended).toMatchObject({ code: 0, stdout: '' })
    const sql = postgres(url, { max: 1 })
    const [row] = await sql`select count(*)::int as orders from shop.orders_overview`
    await sql.end()
    expect(row).toEqual({ orders: 2000 })
  })

  test('if --to contains a password, store-sync run exits with code 2 and says that other users can see the password', async () => {
    const rejected = await command(['run', '--url', platform.service.url, '--to', 'postgres://me:secret@127.0.0.1/x'])
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringContaining('other users of this machine can see a password'),
    ])
    expect(rejected.stderr).not.toContain('secret')
  })

  test('if store-sync run receives SIGTERM, it tells the user to run the same command again and exits with code 1', async () => {
    const args = [COMMAND, 'run', '--url', platform.service.url, '--to', `sqlite:${await createFile()}`]
    const child = spawn(process.execPath, args, {
      env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let messages = ''
    child.stderr.on('data', (text: Buffer) => {
      messages += text.toString()
      if (messages.includes('customer_groups') && !child.killed) child.kill('SIGTERM')
    })
    const [code] = await once(child, 'exit')
    expect(code).toBe(1)
    expect(messages).toContain('interrupted; run the same command again')
  })

  test('if a table of the store is missing for a while, store-sync run --every retries until the table is back, and completes the copy', async () => {
    await store.sql`alter table products rename to products_away`
    const every = startEvery(`sqlite:${await createFile()}`)
    // The client retries for two minutes. The attempt succeeds once the table is there again.
    setTimeout(() => void store.sql`alter table products_away rename to products`.execute(), 1500)
    await expect.poll(every.messages, { timeout: 15_000 }).toContain('is up to date')
    expect(await every.stop()).toBe(0)
  })

  test('if the disk of a SQLite copy is full, store-sync run --every retries, and completes the copy after space is freed', async ({
    skip,
  }) => {
    const file = await createFile()
    if (!mountDisk(path.dirname(file), '300k')) skip('mounting a small disk needs root')
    const every = startEvery(`sqlite:${file}`)
    await expect.poll(every.messages, { timeout: 15_000 }).toMatch(/has no space: its disk is full.*; next run in 1s\n/)
    spawnSync('mount', ['-o', 'remount,size=20m', path.dirname(file)])
    await expect.poll(every.messages, { timeout: 15_000 }).toContain('is up to date')
    expect(orders(file)).toBe(2000)
    expect(await every.stop()).toBe(0)
  })

  test('if the disk of a PostgreSQL copy is full, store-sync run --every retries, and completes the copy after space is freed', async () => {
    const { url, drop } = await createDatabase()
    onTestFinished(drop)
    const sql = postgres(url, { max: 1, onnotice: () => undefined })
    await sql.unsafe(`
      create function no_space() returns event_trigger language plpgsql as
        $$ begin raise exception 'no space is left' using errcode = 'disk_full'; end $$;
      create event trigger no_space on ddl_command_start execute function no_space()`)
    const every = startEvery('env:TARGET', { TARGET: url })
    const full = /has no space: the disk of the server is full.*; next run in 1s\n/
    await expect.poll(every.messages, { timeout: 15_000 }).toMatch(full)
    await sql`drop event trigger no_space`
    await sql.end()
    await expect.poll(every.messages, { timeout: 15_000 }).toContain('is up to date')
    expect(await every.stop()).toBe(0)
  })

  test('if eight consecutive runs of store-sync are killed, the next run completes the copy', async () => {
    const file = await createFile()
    const args = [COMMAND, 'run', '--url', platform.service.url, '--to', `sqlite:${file}`]
    for (let kill = 0; kill < 8; kill += 1) {
      const child = spawn(process.execPath, args, {
        env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key },
        stdio: 'ignore',
      })
      const timer = setTimeout(() => child.kill('SIGKILL'), 150 + kill * 60)
      await once(child, 'exit')
      clearTimeout(timer)
    }
    expect((await command(args.slice(1))).code).toBe(0)
    expect(orders(file)).toBe(2000)
  })

  test('store-sync run --dry-run prints the tables and the number of rows that a run would read, and creates no file', async () => {
    const file = await createFile()
    const args = ['run', '--url', platform.service.url, '--to', `sqlite:${file}`, '--dry-run']
    const dryRun = await command(args)
    expect(dryRun).toMatchObject({ code: 0, stdout: '' })
    expect(dryRun.stderr).toMatch(
      /^ {2}store +1 row {3}all\n[\s\S]* {2}orders +2,000 rows {2}all\n[\s\S]*dry run: \S+ was not changed/,
    )
    expect(existsSync(file)).toBe(false)
    const { stdout } = await command([...args, '--json', '--tables', 'order_items'])
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { event: 'preview', table: 'orders', mode: 'full', since: null, rows: 2000, is_at_least: false, ids_pages: 0 },
    ])
  })

  test('store-sync verify exits with code 0 if the copy equals the store, and otherwise prints the differences and exits with code 1', async () => {
    const file = await createFile()
    const args = ['--url', platform.service.url, '--to', `sqlite:${file}`]
    await command(['run', ...args])
    const same = await command(['verify', ...args])
    expect(same).toMatchObject({ code: 0, stdout: '' })
    expect(same.stderr).toMatch(/orders +2,000 rows in the store, 2,000 in the copy {2}the same/)
    expect(same.stderr).toMatch(/shop\.db matches the store: 2,001 rows compared, [\d.]+ s\n$/)
    const database = new DatabaseSync(file)
    const changed = database.prepare("update orders set total = '9.99' where rowid <= 12 returning id").all()
    database.close()
    // A row that changed since the last sync is no error, so the state claims a later sync.
    const later = new DatabaseSync(file)
    later.exec("update _sync_tables set since = '2999-01-01T00:00:00.000Z'")
    later.close()
    const other = await command(['verify', ...args])
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect(other.stderr).toContain(`orders ${changed[0]?.id}: different total\n`)
    expect(other.stderr).toContain('… and more in orders; --json prints all')
    expect(other.stderr).toMatch(
      /12 different[\s\S]*to repair it, run `store-sync run --full`[\s\S]*differs from the store/,
    )
    const { stdout, code } = await command(['verify', ...args, '--json'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(1)
    expect(lines.filter(({ event }) => event === 'difference')).toHaveLength(12)
    expect(lines.at(-1)).toMatchObject({ event: 'verify', store_id: store.id, is_same: false, changed_files: [] })
  })

  test('store-sync run uses the key in STORE_EXPORT_KEY_FILE, and exits with code 2 if this file is missing', async () => {
    const file = await createFile()
    const keyFile = path.join(path.dirname(file), 'key')
    await writeFile(keyFile, `${store.key}\n`, { mode: 0o600 })
    const args = ['run', '--url', platform.service.url, '--to', `sqlite:${file}`, '--json']
    const env = { STORE_EXPORT_KEY: '', STORE_EXPORT_KEY_FILE: keyFile }
    expect((await command(args, env)).code).toBe(0)
    const missing = await command(args, { ...env, STORE_EXPORT_KEY_FILE: `${keyFile}.txt` })
    expect([missing.code, JSON.parse(missing.stdout)]).toEqual([
      2,
      { event: 'error', message: expect.stringContaining('STORE_EXPORT_KEY_FILE: cannot read the file') },
    ])
  })

  test('if the port of an https:// URL does not speak TLS, store-sync run exits with code 1 and names this cause', async () => {
    const args = (url: string) => ['run', '--url', url, '--to', `sqlite:${path.join(os.tmpdir(), 'never-created.db')}`]
    const startedAt = performance.now()
    const wrong = await command(args(platform.service.url.replace('http:', 'https:')))
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('does not speak TLS')])
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  test('if the server refuses the connection, store-sync run exits with code 75 (temporary failure)', async () => {
    const startedAt = performance.now()
    const args = ['run', '--to', `sqlite:${path.join(os.tmpdir(), 'never-created.db')}`]
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const refused = await command([...args, '--url', `http://127.0.0.1:${port}`])
    expect([refused.code, refused.stderr]).toEqual([75, expect.stringContaining('ECONNREFUSED')])
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('if another run has locked the copy, store-sync run exits with code 75 (temporary failure)', async () => {
    const file = await createFile()
    const lock = new DatabaseSync(`${file}-run`)
    lock.exec('begin exclusive')
    const ended = await command(['run', '--url', platform.service.url, '--to', `sqlite:${file}`])
    lock.close()
    expect([ended.code, ended.stderr]).toEqual([75, expect.stringContaining('another store-sync run is writing')])
  })

  test('if --url is http:// to another computer and --insecure-http is missing, store-sync run exits with code 2 and suggests --insecure-http', async () => {
    const args = ['run', '--url', 'http://export.invalid', '--to', 'sqlite:x']
    const refused = await command(args)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--insecure-http')])
    const withEvery = await command([...args, '--insecure-http', '--every', 'soon'])
    expect(withEvery.stderr).toContain('--every: must be a duration')
  })

  test("if a table becomes empty in the store, store-sync run removes the table's rows from the copy only with --allow-empty", async () => {
    const file = await createFile()
    const args = ['run', '--url', platform.service.url, '--to', `sqlite:${file}`]
    await store.sql`insert into locations (id, name, created_at, updated_at) values (gen_random_uuid(), 'Berlin', now(), now())`
    expect((await command(args)).code).toBe(0)
    await store.sql`delete from locations`
    await store.sql`update orders set status = 'shipped', updated_at = now() where id = (select min(id::text)::uuid from orders)`
    const count = (table: string) => {
      using database = new DatabaseSync(file, { readOnly: true })
      return database.prepare(`select count(*) as rows from ${table}`).get()?.rows
    }
    for (const more of [[], ['--full'], ['--prune']]) {
      const retained = await command([...args, ...more])
      expect([retained.code, retained.stderr]).toEqual([
        1,
        expect.stringMatching(
          /locations +1 row +retained[\s\S]*the run retained the rows that .* has: locations \(1\)\. .*--allow-empty/,
        ),
      ])
      expect(count('locations')).toBe(1)
      expect(count("orders where status = 'shipped'"), 'other tables are synced').toBe(1)
    }
    expect((await command([...args, '--allow-empty'])).code).toBe(0)
    expect(count('locations')).toBe(0)
  })

  test.each([
    [[], 2, 'Usage'],
    [['run'], 2, "required option '--url"],
    [['run', '--url', 'http://127.0.0.1:1', '--to', 'paper:x'], 2, '--to: must be one of sqlite:FILE'],
    [['run', '--url', 'nowhere', '--to', 'sqlite:x'], 2, '--url: must be an address'],
    [['run', '--url', 'http://127.0.0.1:1', '--to', 'env:NOTHING'], 2, 'the variable NOTHING is not set'],
    [['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--every', 'soon'], 2, '--every: must be a duration'],
    [['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--overlap', '5'], 2, '--overlap: must be a duration'],
    [
      ['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--tables', 'order'],
      2,
      '--tables: must be table names separated by commas (store,',
    ],
    [
      ['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--since', '31.1.26'],
      2,
      '--since: must be a past date',
    ],
    [
      ['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--requests-per-minute', '0'],
      2,
      '--requests-per-minute: must be a whole number',
    ],
    [
      ['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--dry-run', '--every', '1h'],
      2,
      'cannot be combined with --every',
    ],
    [
      ['verify', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:/nowhere/x.db'],
      1,
      'is not a copy yet; run `store-sync run` first',
    ],
    [
      ['run', '--url', 'http://127.0.0.1:1', '--to', 'csv:x', '--csv-delimiter', 'x'],
      2,
      '--csv-delimiter: must be one of',
    ],
    [
      ['run', '--url', 'http://127.0.0.1:1', '--to', 'sqlite:x', '--csv-no-apostrophe'],
      2,
      'can only be used with --to csv:DIR',
    ],
    [['verify', '--url', 'http://127.0.0.1:1'], 2, "required option '--to"],
    [['sync'], 2, "unknown command 'sync'"],
  ])('if the arguments are %j, store-sync exits with code %i and the message %j', async (args, code, message) => {
    const ended = await command(args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toContain(message)
  })

  test('if no key is set, store-sync run exits with code 2 and names STORE_EXPORT_KEY', async () => {
    const args = ['run', '--url', platform.service.url, '--to', `sqlite:${await createFile()}`]
    const none = await command(args, { STORE_EXPORT_KEY: '' })
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/^store-sync: no API key; set STORE_EXPORT_KEY .*\n$/),
    ])
  })

  test('if the service rejects the key, store-sync run exits with code 1 and does not print the key', async () => {
    const args = ['run', '--url', platform.service.url, '--to', `sqlite:${await createFile()}`]
    const wrong = await command(args, { STORE_EXPORT_KEY: 'sdx_wrong' })
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/^store-sync: x-api-key: must be .*INVALID_API_KEY.*\n$/),
    ])
    expect(wrong.stderr).not.toContain('sdx_wrong')
  })
})
