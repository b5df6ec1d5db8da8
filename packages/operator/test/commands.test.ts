import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { addStore, type ControlDatabase, createKey, EncryptionKey, openControlDatabase } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDatabase, createMigratedDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { SETTINGS } from '../src/settings.ts'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
} from './support/command-process.ts'
import { temporaryFolder } from './support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const secret = newSecret()
let control: TestDatabase
let settings: Record<string, string>

beforeAll(async () => {
  control = await createMigratedDatabase()
  settings = { DATABASE_URL: control.url, SECRET: secret }
})
afterAll(() => control.drop())

async function runJson(...args: string[]) {
  const { code, json } = await runCommand([...args, '--json'], { settings })
  expect(code).toBe(0)
  return json
}

/** Registers a store without a command, and returns its ID. */
async function register(name: string): Promise<string> {
  const databaseUrl = 'postgres://reader@db.example/shop'
  return withDatabase(async (database) => {
    const keys = { current: new EncryptionKey(Buffer.from(secret, 'base64')), previous: null }
    const context = { database, keys, random: randomBytes }
    return (await addStore(context, { name, origin: 'generated', state: 'ready', databaseUrl })).id
  })
}

async function withDatabase<T>(work: (database: ControlDatabase) => Promise<T>): Promise<T> {
  const database = openControlDatabase(control.url, { poolSize: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

describe('store-export', () => {
  const wrong = [
    ['sell'],
    ['stores'],
    ['stores', 'list', '--quickly'],
    ['keys', 'create', '--store', 'x'],
    ['stores', 'provision', '--name', 'N', '--revision', 'v9'],
    ['stores', 'add', '--name', 'N', '--origin', 'stolen'],
    ['stores', 'add', '--name', 'N', '--database-url', 'mysql://db'],
    ['stores', 'add', '--name', 'N'],
    ['stores', 'set', '6f0d5c1e-8a3b-4c57-9d21-3e7f4a10b601'],
    ['keys', 'revoke'],
  ]
  test('if the arguments of a command are wrong, the command exits with code 2 and prints no result', async () => {
    const ends = await Promise.all(wrong.map((words) => runCommand(words, { settings })))
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(wrong.map(() => [2, '']))
    for (const { stderr } of ends) expect(stderr).toMatch(/^(?!.*\n {4}at )./s)
  })

  test('store-export --help prints the name of every setting, and defaults with their units', async () => {
    const { code, stdout } = await runCommand(['--help'])
    expect(code).toBe(0)
    for (const { env } of Object.values(SETTINGS)) expect(stdout).toContain(env)
    expect(stdout).toContain('(default 120 requests)')
    expect(stdout).toContain('(default 8 s)')
  })

  test('if neither a control database nor a demo exists, `keys list` says that STORE_EXPORT_DATABASE_URL is not set', async () => {
    const { code, stdout, stderr } = await runCommand(['keys', 'list'], { folder: await temporaryFolder() })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^store-export: STORE_EXPORT_DATABASE_URL is not set, and no demo runs .* "npm start"\n$/)
  })

  test('if no secret is set, each command that needs a secret exits with code 1 and says that STORE_EXPORT_SECRET is not set', async () => {
    const commands = [['migrate'], ['serve'], ['stores', 'list'], ['keys', 'list'], ['secrets', 'rotate'], ['doctor']]
    const ends = await Promise.all(
      commands.map((words) => runCommand(words, { settings: { DATABASE_URL: control.url } })),
    )
    for (const { code, stderr } of ends) {
      expect(code).toBe(1)
      expect(stderr).toMatch(/^store-export: STORE_EXPORT_SECRET: not set.*\n$/)
    }
  })

  test("if the control database can't be reached, `stores list` exits with code 75 and does not print the password", async () => {
    const elsewhere = { ...settings, DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/none' }
    const { code, stderr } = await runCommand(['stores', 'list'], { settings: elsewhere })
    expect(code).toBe(75)
    expect(stderr).toMatch(
      /^store-export: the control database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\n$/,
    )
    expect(stderr).not.toContain('hush')
  })

  test.each([[['serve']], [['migrate']], [['doctor']], [['status']]])(
    "if the control database can't be reached, `%s` exits with code 75, and names the control database and its setting",
    async (words) => {
      const elsewhere = { ...settings, DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/none' }
      const { code, stderr } = await runCommand(words, { settings: elsewhere })
      expect([code, stderr]).toEqual([
        75,
        'store-export: the control database at 127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1 ' +
          '(ECONNREFUSED); check the host and the port in STORE_EXPORT_DATABASE_URL, and that the server runs\n',
      ])
    },
  )

  test('if a command with --json fails, the command prints the error as one line of JSON on standard error', async () => {
    const unreachable = { ...settings, DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/none' }
    const cases = [
      { words: ['keys', 'create', '--store', 'x', '--name', 'n'], with: settings, code: 'unknown_store', exit: 1 },
      { words: ['stores', 'list'], with: unreachable, code: 'database_unreachable', exit: 75 },
      { words: ['stores', 'list'], with: { ...settings, PORT: 'many' }, code: 'invalid_setting', exit: 1 },
      { words: ['stores', 'set', 'x'], with: settings, code: 'usage', exit: 2 },
      { words: ['stores', 'list', '--quickly'], with: settings, code: 'usage', exit: 2 },
      { words: ['stores'], with: settings, code: 'usage', exit: 2 },
    ]
    const ends = await Promise.all(cases.map((each) => runCommand([...each.words, '--json'], { settings: each.with })))
    for (const [index, { code, stdout, stderr }] of ends.entries()) {
      const error = { code: cases[index]?.code, message: expect.stringMatching(/^(?!.*hush)[^\n]{10,}$/) }
      expect([code, stdout, JSON.parse(stderr)]).toEqual([cases[index]?.exit, '', { error }])
      expect(stderr).toMatch(/^[^\n]*\n$/)
    }
  })

  test('if a setting is invalid, a command exits with code 1 and names the setting', async () => {
    const wrong = await runCommand(['stores', 'list'], { settings: { ...settings, PORT: 'many' } })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^store-export: STORE_EXPORT_PORT: must be/)])
  })

  test('if a setting is unknown, a command succeeds and warns that the setting does not exist', async () => {
    const odd = await runCommand(['stores', 'list', '--json'], { settings: { ...settings, PROT: '1' } })
    expect([odd.code, odd.stderr]).toEqual([0, expect.stringContaining('STORE_EXPORT_PROT is not a setting')])
  })
})

describe('store-export migrate', () => {
  test('if the control database lacks the extension citus, `migrate --distributed citus` exits with code 1, names the extension, and distributes nothing', async () => {
    const { url, drop } = await createDatabase()
    onTestFinished(drop)
    const options = { settings: { DATABASE_URL: url, SECRET: secret } }
    const { code, stderr } = await runCommand(['migrate', '--distributed', 'citus'], options)
    expect([code, stderr]).toEqual([1, expect.stringContaining('lacks the extension citus')])
    const [found] = await openClientForTest(url)`select to_regclass('admissions') as name`
    expect(found).toEqual({ name: null })
  })

  test('if two migrate commands run at once, each migration is applied once', async () => {
    const empty = await createDatabase()
    const options = { settings: { DATABASE_URL: empty.url, SECRET: secret } }
    for (const words of [['stores', 'list'], ['serve']]) {
      const { code, stderr } = await runCommand(words, options)
      expect([code, stderr]).toEqual([1, expect.stringContaining('run "store-export migrate"')])
    }
    const both = await Promise.all([1, 2].map(() => runCommand(['migrate', '--json'], options)))
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    const applied: string[] = both.flatMap(({ json }) => json.applied)
    expect(applied.length).toBeGreaterThan(0)
    expect(new Set(applied).size).toBe(applied.length)
    expect((await runCommand(['stores', 'list', '--json'], options)).json).toEqual({ stores: [] })
    await empty.drop()
  })
})

describe('store-export stores', () => {
  test("if the database of a new store can't be reached, `stores add` still registers the store", async () => {
    const words = ['stores', 'add', '--name', 'Far away', '--database-url', 'postgres://reader@db.example/shop']
    const { code, stdout, stderr } = await runCommand(words, { settings })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/)
    expect(stderr).toContain('Far away')
    const added = await runJson(...words)
    expect(added).toMatchObject({ name: 'Far away', origin: 'generated', state: 'ready' })
    expect(added.database_url).toBe('postgres://reader@db.example/shop')
  })

  test('if the database URL of a store has a password, `stores add` does not print the password, and stores it encrypted', async () => {
    const url = 'postgres://reader:hush@db.example/shop'
    const words = ['stores', 'add', '--name', 'Sealed', '--json', '--database-url']
    const warned = await runCommand([...words, url], { settings })
    const quiet = await runCommand([...words, '-'], { settings, input: `${url}\n` })
    expect([warned.code, quiet.code]).toEqual([0, 0])
    expect(warned.stderr).toContain('--database-url -')
    expect(quiet.stderr).toBe('')
    expect(warned.stdout + warned.stderr + quiet.stdout).not.toContain('hush')
    const rows = await openClientForTest(control.url)`select * from stores where name = 'Sealed'`
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain('hush')
  })

  test("[GEN-3] if `stores provision` created a store, its reader role can't select the password hash", async () => {
    const made = await runJson('stores', 'provision', '--name', 'Shop & Sons', '--revision', 'v1.3')
    dropAfterTest(made.id)
    const owner = openClientForTest(made.database_url)
    expect(await owner`select id, name from store`).toEqual([{ id: made.id, name: 'Shop & Sons' }])
    await owner`insert into customers (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', 'x')`
    const reader = openClientForTest(made.reader_url)
    expect(await reader`select email from customers`).toEqual([{ email: 'a@example.com' }])
    await expect(reader`select password_hash from customers`).rejects.toMatchObject({ code: '42501' })
    await expect(reader`select * from customers`).rejects.toMatchObject({ code: '42501' })
    expect(made).toMatchObject({ name: 'Shop & Sons', origin: 'generated', state: 'ready', revision: 'v1.3' })
  })

  test('if the name of a store is too long, `stores provision` exits with code 1 and creates no role', async () => {
    // An administrator becomes a member of each owner that it creates. Other tests provision with another
    // administrator.
    const name = `admin_${randomBytes(6).toString('hex')}`
    const sql = openClientForTest(control.url)
    await sql.unsafe(`create role ${name} superuser login password 'x'`)
    const url = new URL(control.url)
    url.username = name
    url.password = 'x'
    const { code, stderr } = await runCommand(
      ['stores', 'provision', '--name', 'x'.repeat(201), '--revision', LATEST_REVISION],
      {
        settings: { ...settings, DATABASE_URL: url.href },
      },
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 to 200 characters')])
    expect(await sql`select roleid from pg_auth_members where member = ${name}::regrole`).toEqual([])
    await sql.unsafe(`drop role ${name}`)
  })

  test('if `stores upgrade` runs twice with the same version, the second run applies no migration and repairs nothing', async () => {
    const made = await runJson('stores', 'provision', '--name', 'Old', '--revision', 'launch')
    dropAfterTest(made.id)
    const upgraded = await runJson('stores', 'upgrade', made.id, '--to', 'v1.2')
    expect(upgraded).toEqual({
      id: made.id,
      revision: 'v1.2',
      applied: ['v1.1', 'v1.2'],
      repaired: [],
      admin_sql: null,
    })
    expect(await openClientForTest(made.reader_url)`select phone from customers`).toEqual([])
    const again = await runJson('stores', 'upgrade', made.id, '--to', 'v1.2')
    expect(again).toEqual({ id: made.id, revision: 'v1.2', applied: [], repaired: [], admin_sql: null })
  })

  test('if a store has a newer schema version than --to names, `stores upgrade` exits with code 1 and names both versions', async () => {
    const made = await runJson('stores', 'provision', '--name', 'Newer', '--revision', 'v1.2')
    dropAfterTest(made.id)
    const back = await runCommand(['stores', 'upgrade', made.id, '--to', 'v1.1'], { settings })
    expect([back.code, back.stdout, back.stderr]).toEqual([
      1,
      '',
      'store-export: this store is at v1.2 and cannot go back to v1.1; use --to v1.2 or a newer version\n',
    ])
  })

  test('if a platform created the database of a store, `stores upgrade` changes nothing, and says to migrate the database and run `stores grants`', async () => {
    const own = await createDatabase()
    onTestFinished(() => own.drop())
    const sql = openClientForTest(own.url)
    await sql`create table orders (id uuid primary key)`
    const words = ['stores', 'add', '--name', 'Own', '--json', '--database-url', '-']
    const { id } = (await runCommand(words, { settings, input: own.url })).json
    const { code, stdout, stderr } = await runCommand(['stores', 'upgrade', id, '--to', LATEST_REVISION], { settings })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^store-export: [^\n]*migrate it yourself[^\n]*stores grants[^\n]*\n$/)
    expect(await sql`select tablename from pg_tables where schemaname = 'public'`).toEqual([{ tablename: 'orders' }])
  })

  test("if the database of a store is not on the control database's server, `stores upgrade` fails and names the missing option --database-url", async () => {
    const id = await register('Elsewhere')
    const { code, stderr } = await runCommand(['stores', 'upgrade', id, '--to', LATEST_REVISION], { settings })
    expect([code, stderr]).toEqual([1, expect.stringContaining('--database-url')])
  })

  test('`stores set` prints the changed store, and after `stores remove`, `stores list` leaves the store out', async () => {
    const { id } = await runJson('stores', 'add', '--name', 'Later', '--state', 'generating')
    const url = 'postgres://reader@db.example/later'
    expect(await runJson('stores', 'set', id, '--state', 'ready', '--database-url', url)).toMatchObject({
      id,
      state: 'ready',
      database_url: url,
    })
    const listed = async () => (await runJson('stores', 'list')).stores.map((store: { id: string }) => store.id)
    expect(await listed()).toContain(id)
    await runJson('keys', 'create', '--store', id, '--name', 'one')
    expect(await runJson('stores', 'remove', id)).toEqual({ id, removed: true, already: false, keys_revoked: 1 })
    expect(await runJson('stores', 'remove', id)).toEqual({ id, removed: true, already: true, keys_revoked: 0 })
    expect(await listed()).not.toContain(id)
    const unknown = await runCommand(['stores', 'set', id, '--state', 'ready'], { settings })
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no store has the ID')])
  })

  test('[GEN-3] `stores grants` prints the SQL for a schema version, without customers.password_hash', async () => {
    const { code, stdout } = await runCommand(['stores', 'grants', '--revision', LATEST_REVISION])
    expect(code).toBe(0)
    expect(stdout).toContain('create role "store_export_reader" login password')
    expect(stdout).toMatch(/grant select \([^)]*"email"[^)]*\) on public."customers"/)
    expect(stdout).not.toContain('password_hash')
    const { role, password, sql } = await runJson('stores', 'grants', '--revision', 'launch', '--role', 'books')
    expect(role).toBe('books')
    expect(sql).toContain(password)
    expect(sql).not.toContain('locations')
  })
})

test('`stores list` shows the value of `stores set --require-two-factor`, which accepts only on and off', async () => {
  const store = await register('With a rule')
  const ruleOf = async () =>
    (await runJson('stores', 'list')).stores.find(({ id }: { id: string }) => id === store).two_factor_required
  expect(await ruleOf()).toBe(false)
  const set = await runJson('stores', 'set', store, '--require-two-factor', 'on')
  expect(set).toMatchObject({ id: store, two_factor_required: true })
  expect(await ruleOf()).toBe(true)
  await runJson('stores', 'set', store, '--require-two-factor', 'off')
  expect(await ruleOf()).toBe(false)
  const refused = await runCommand(['stores', 'set', store, '--require-two-factor', 'maybe'], { settings })
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('on, off') })
})

describe('store-export keys', () => {
  test('[AUTH-3] after `keys create`, `keys list` prints only the prefix and the last characters of the key', async () => {
    const store = await register('Keys')
    const made = await runJson('keys', 'create', '--store', store, '--name', 'books')
    expect(Object.keys(made).slice(0, 4)).toEqual(['id', 'key', 'store_id', 'name'])
    expect(made).toMatchObject({ store_id: store, name: 'books', key: expect.stringMatching(/^sdx_\w{49}$/) })
    const alone = await runCommand(['keys', 'create', '--store', store, '--name', 'till'], { settings })
    expect(alone.stdout).toMatch(/^sdx_\w{49}\n$/)
    const { stdout } = await runCommand(['keys', 'list', '--store', store, '--json'], { settings })
    expect(JSON.parse(stdout).keys).toHaveLength(2)
    expect(JSON.parse(stdout).keys[0]).toMatchObject({ id: made.id, last_four: made.key.slice(-4), revoked_at: null })
    expect(stdout).not.toContain(made.key)
    const table = await runCommand(['keys', 'list'], { settings })
    expect(table.stdout).toContain(`${made.id}  ${store}  ${made.key.slice(0, 12)}…${made.key.slice(-4)}`)
  })

  test('[AUTH-2] if STORE_EXPORT_KEY_PREFIX is acme_live_, `keys create` prints a key with this prefix', async () => {
    const store = await register('Branded')
    const branded = { settings: { ...settings, KEY_PREFIX: 'acme_live_' } }
    const made = await runCommand(['keys', 'create', '--store', store, '--name', 'till'], branded)
    expect(made.stdout).toMatch(/^acme_live_[0-9A-Za-z]{49}\n$/)
    const wrong = await runCommand(['keys', 'list'], { settings: { ...settings, KEY_PREFIX: 'acme' } })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('STORE_EXPORT_KEY_PREFIX: must be 2 to 16')])
  })

  test('[AUTH-3] if `keys create` gets options that limit the key, the key has these limits, and `keys list` prints them', async () => {
    const store = await register('Kiosk')
    const limits = {
      scopes: ['orders:read', 'products:read'],
      without_personal_data: true,
      expires_at: '2099-01-31T00:00:00.000Z',
      allowed_addresses: ['10.0.0.0/8', '2001:db8::/128'],
    }
    const given = ['--scope', 'products:read', '--scope', 'orders:read', '--without-personal-data']
    const ends = ['--expires', '2099-01-31T01:00:00+01:00', '--allow', '10.1.2.3/8', '--allow', '2001:db8::']
    const made = await runJson('keys', 'create', '--store', store, '--name', 'books', ...given, ...ends)
    expect(made).toMatchObject(limits)
    expect((await runJson('keys', 'list', '--store', store)).keys[0]).toMatchObject({ ...limits, state: 'active' })
    const { stdout } = await runCommand(['keys', 'list', '--store', store], { settings })
    expect(stdout).toContain('orders:read products:read, without personal data')
    expect(await runJson('keys', 'rename', made.id, '--name', 'ledger')).toEqual({ id: made.id, renamed: true })
    expect((await runJson('keys', 'list', '--store', store)).keys[0].name).toBe('ledger')
  })

  test.each([
    [['--scope', 'payments:read'], 2, 'Accepted: orders:read, customers:read'],
    [['--expires', 'tomorrow'], 2, 'Accepted: an RFC 3339 datetime'],
    [['--expires', '2020-01-01T00:00:00Z'], 1, 'expires: must be in the future'],
    [['--expires', '9999-12-31T23:59:59-01:00'], 1, 'expires: must be in the future, at most 9999-12-31T23:59:59.999Z'],
    [['--allow', '10.0.0.0/99'], 1, 'allow: must be an address or a network'],
    [['--allow', '::ffff:10.0.0.1'], 1, 'allow: must be an address or a network'],
  ])(
    '[AUTH-3] if `keys create` gets the invalid options %j, it exits with code %i and says which values are accepted',
    async (more, code, message) => {
      const words = ['keys', 'create', '--store', await register('Stand'), '--name', 'x', ...more]
      const end = await runCommand(words, { settings })
      expect(end).toMatchObject({ code, stdout: '' })
      expect(end.stderr).toContain(message)
    },
  )

  test('[AUTH-4] if a store has five active keys, `keys create` fails and says to revoke one first', async () => {
    const store = await register('Full')
    await withDatabase(async (database) => {
      for (const name of ['1', '2', '3', '4', '5']) {
        await createKey({ database, storeId: store, name, createdBy: null, random: randomBytes })
      }
    })
    const sixth = await runCommand(['keys', 'create', '--store', store, '--name', '6'], { settings })
    expect([sixth.code, sixth.stdout]).toEqual([1, ''])
    expect(sixth.stderr).toMatch(
      /^store-export: a store has at most 5 active keys, including turned-off keys; revoke one first.*\n$/,
    )
  })

  test('`keys list` shows a key as off after `keys turn-off`, and as active after `keys turn-on`', async () => {
    const store = await register('Stand')
    const { id } = await runJson('keys', 'create', '--store', store, '--name', 'x')
    const listed = async () => (await runJson('keys', 'list', '--store', store)).keys[0]
    expect(await runJson('keys', 'turn-off', id)).toEqual({ id, state: 'off', already: false })
    expect(await runJson('keys', 'turn-off', id)).toEqual({ id, state: 'off', already: true })
    expect(await listed()).toMatchObject({ state: 'off', turned_off_at: expect.any(String), revoked_at: null })
    const table = await runCommand(['keys', 'list', '--store', store], { settings })
    expect(table.stdout).toMatch(/ off /)
    const on = await runCommand(['keys', 'turn-on', id], { settings })
    expect(on).toMatchObject({ code: 0, stdout: `${id}\n`, stderr: expect.stringContaining('Turned on.') })
    expect(await listed()).toMatchObject({ state: 'active', turned_off_at: null })
    await runJson('keys', 'revoke', id)
    const revoked = await runCommand(['keys', 'turn-off', id], { settings })
    expect(revoked).toMatchObject({ code: 1, stderr: expect.stringContaining('no active key has the ID') })
  })

  test("[R38, R39] if `keys change` sets the scopes and the expiry of a key, the key's other limits do not change", async () => {
    const store = await register('Changed')
    const limited = ['--scope', 'orders:read', '--allow', '10.0.0.0/8', '--without-personal-data']
    const { id } = await runJson('keys', 'create', '--store', store, '--name', 'x', ...limited)
    const listed = async () => (await runJson('keys', 'list', '--store', store)).keys[0]
    const change = ['keys', 'change', id, '--all-resources', '--expires', '2099-01-31T00:00:00Z']
    expect(await runJson(...change)).toEqual({ id, changed: true, already: false })
    expect(await runJson(...change)).toEqual({ id, changed: true, already: true })
    const same = { without_personal_data: true, state: 'active', name: 'x' }
    const end = '2099-01-31T00:00:00.000Z'
    expect(await listed()).toMatchObject({ scopes: null, expires_at: end, allowed_addresses: ['10.0.0.0/8'], ...same })
    const args = ['--scope', 'products:read', '--scope', 'customers:read', '--no-expiry', '--allow-everywhere']
    const printed = await runCommand(['keys', 'change', id, ...args], { settings })
    expect(printed).toMatchObject({ code: 0, stdout: `${id}\n`, stderr: expect.stringContaining('Changed.') })
    const scopes = ['customers:read', 'products:read']
    expect(await listed()).toMatchObject({ scopes, expires_at: null, allowed_addresses: null, ...same })
  })

  test.each([
    [[], 2, 'nothing to change'],
    [['--scope', 'orders:read', '--all-resources'], 2, '--scope and --all-resources contradict each other'],
    [['--expires', '2099-01-31T00:00:00Z', '--no-expiry'], 2, '--expires and --no-expiry contradict each other'],
    [['--allow', '10.0.0.0/8', '--allow-everywhere'], 2, '--allow and --allow-everywhere contradict each other'],
    [['--allow', 'office'], 1, 'allow: must be an address or a network'],
    [['--scope', 'order:read'], 2, 'Accepted: orders:read'],
  ])(
    '[R38, R39] if `keys change` has the options %j, the command exits with code %i, prints the reason, and changes nothing',
    async (options, code, message) => {
      const store = await register('Unchanged')
      const { id } = await runJson('keys', 'create', '--store', store, '--name', 'x')
      const result = await runCommand(['keys', 'change', id, ...options], { settings })
      expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)])
      const [key] = (await runJson('keys', 'list', '--store', store)).keys
      expect(key).toMatchObject({ scopes: null, expires_at: null, allowed_addresses: null })
      const unknown = await runCommand(['keys', 'change', store, '--all-resources'], { settings })
      expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no active key has the ID') })
    },
  )

  test('`keys revoke` exits with code 0 if the key is already revoked, and with code 1 if no key has the ID', async () => {
    const store = await register('Revoked')
    const { id } = await runJson('keys', 'create', '--store', store, '--name', 'x')
    expect(await runJson('keys', 'revoke', id)).toEqual({ id, revoked: true, already: false })
    expect(await runJson('keys', 'revoke', id)).toEqual({ id, revoked: true, already: true })
    expect((await runJson('keys', 'list', '--store', store)).keys[0].revoked_at).not.toBeNull()
    expect((await runCommand(['keys', 'revoke', store], { settings })).code).toBe(1)
    expect((await runCommand(['keys', 'list', '--store', id], { settings })).code).toBe(1)
  })
})

describe('store-export directory-tokens', () => {
  test('`directory-tokens create` refuses a third active token of a store, and `directory-tokens list` does not print full tokens', async () => {
    const store = await register('directory')
    const first = await runJson('directory-tokens', 'create', '--store', store)
    expect(first).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^sdxscim_\w{49}$/),
      store_id: store,
    })
    const plain = await runCommand(['directory-tokens', 'create', '--store', store], { settings })
    expect(plain.stdout).toMatch(/^sdxscim_\w{49}\n$/)
    const third = await runCommand(['directory-tokens', 'create', '--store', store, '--json'], { settings })
    expect(third.code).toBe(1)
    expect(JSON.parse(third.stderr)).toMatchObject({ error: { code: 'directory_token_limit_reached' } })
    expect(await runJson('directory-tokens', 'revoke', first.id)).toEqual({
      ...{ id: first.id, revoked: true, already: false },
    })
    expect(await runJson('directory-tokens', 'revoke', first.id)).toMatchObject({ already: true })
    const { tokens } = await runJson('directory-tokens', 'list', '--store', store)
    expect(tokens).toHaveLength(2)
    expect(tokens[0]).toMatchObject({ id: first.id, last_four: first.token.slice(-4), last_used_at: null })
    expect(tokens[0].revoked_at).not.toBeNull()
    expect(JSON.stringify(tokens)).not.toContain(first.token)
    const unknown = await runCommand(['directory-tokens', 'revoke', 'none'], { settings })
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('directory-tokens list')])
  })
})

describe('store-export merchants', () => {
  test('`merchants list` shows a merchant with stores and roles after `merchants add`, and leaves the merchant out after `merchants remove`', async () => {
    const [one, two] = [await register('one'), await register('two')]
    const added = await runJson('merchants', 'add', '--email', ' Shop@Example.com ', '--store', one)
    expect(added).toEqual({
      id: expect.any(String),
      email: 'shop@example.com',
      store_id: one,
      created: true,
      role: 'admin',
    })
    expect(await runJson('merchants', 'add', '--email', 'shop@example.com', '--store', two)).toMatchObject({
      id: added.id,
      created: false,
    })
    const link = await runJson('merchants', 'link', '--email', 'shop@example.com')
    expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:8081\/link\/\w{20,}$/)
    expect(Date.parse(link.expires_at)).toBeGreaterThan(Date.now() + 86_000_000)
    const plain = await runCommand(['merchants', 'link', '--email', 'shop@example.com'], { settings })
    expect(plain.stdout).toMatch(/^http:\S+\n$/)
    const { merchants } = await runJson('merchants', 'list')
    const stores = [one, two].map((id) => ({ id, role: 'admin' }))
    expect(merchants).toContainEqual(expect.objectContaining({ id: added.id, store_ids: [one, two], stores }))
    const reset = await runJson('merchants', 'reset-two-factor', '--email', ' Shop@Example.com ')
    expect(reset).toEqual({ email: 'shop@example.com', reset: false })
    const removed = await runJson('merchants', 'remove', '--email', 'shop@example.com')
    expect(removed).toMatchObject({ removed: true, stores_left_alone: expect.arrayContaining([one, two]) })
    expect((await runJson('merchants', 'list')).merchants).not.toContainEqual(expect.objectContaining({ id: added.id }))
  })

  test('if `merchants remove-passkeys` runs, only the account of --email loses its passkeys and sessions', async () => {
    const store = await register('passkeys')
    const sql = openClientForTest(control.url)
    const [lost, other] = ['lost@example.com', 'other@example.com']
    for (const email of [lost, other]) {
      const { id } = await runJson('merchants', 'add', '--email', email, '--store', store)
      await sql`
        insert into merchant_passkeys
          (id, merchant_id, name, credential_id, public_key, counter, device_type, backed_up, created_at)
        select ${email} || n, ${id}, 'Laptop', ${email} || n, '', 0, 'singleDevice', false, now()
        from generate_series(1, 2) n`
      await sql`
        insert into merchant_sessions (id, token, merchant_id, expires_at, created_at, updated_at)
        values (${email}, ${email}, ${id}, now() + interval '1 hour', now(), now())`
    }
    const command = ['merchants', 'remove-passkeys', '--email', ' Lost@Example.com ']
    const ended = await runCommand(command, { settings })
    expect(ended).toMatchObject({ code: 0, stdout: '' })
    expect(ended.stderr).toBe('Removed 2 passkeys of lost@example.com, and ended all sessions of the account.\n')
    expect(await sql`select id from merchant_passkeys order by id`).toEqual([{ id: `${other}1` }, { id: `${other}2` }])
    expect(await sql`select id from merchant_sessions`).toEqual([{ id: other }])
    const events = await sql`
      select actor, details->>'passkey' as passkey from audit_events where action = 'passkey.removed' order by 2`
    const actor = expect.stringMatching(/^store-export command line \(.+\)$/)
    expect(events).toEqual([1, 2].map((n) => ({ actor, passkey: `${lost}${n}` })))
    expect(await runJson(...command)).toEqual({ email: lost, passkeys_removed: 0 })
  })

  test('if `merchants remove` leaves only viewers in a store, the command says that this store has no admin', async () => {
    const [one, two] = [await register('first'), await register('second')]
    const admin = ['--email', 'last-admin@example.com']
    for (const store of [one, two]) {
      await runJson('merchants', 'add', ...admin, '--store', store)
      await runJson('merchants', 'add', '--email', 'watcher@example.com', '--store', store, '--role', 'viewer')
    }
    const message = (store: string) =>
      `No admin has access to the store ${store} now; add one with "store-export merchants add --role admin".`
    const fromStore = ['merchants', 'remove', ...admin, '--store', one]
    expect((await runCommand(fromStore, { settings })).stderr.split('\n')).toContain(message(one))
    const lists = { stores_left_alone: [], stores_without_admin: [one] }
    expect(await runJson(...fromStore)).toMatchObject({ already: true, ...lists })
    const account = await runCommand(['merchants', 'remove', ...admin], { settings })
    expect(account.stderr.split('\n').filter((line) => line.startsWith('No '))).toEqual([message(two)])
    await runJson('merchants', 'add', ...admin, '--store', two)
    const removed = await runJson('merchants', 'remove', ...admin)
    expect(removed).toMatchObject({ stores_left_alone: [], stores_without_admin: [two] })
  })

  test("`merchants add` sets the role that --role names, and without --role leaves an existing member's role unchanged", async () => {
    const store = await register('roles')
    const [owner, agency] = ['owner@example.com', 'agency@example.com']
    const add = (email: string, ...words: string[]) =>
      runJson('merchants', 'add', '--email', email, '--store', store, ...words)
    expect(await add(owner)).toMatchObject({ created: true, role: 'admin' })
    expect(await add(agency, '--role', 'viewer')).toMatchObject({ created: true, role: 'viewer' })
    expect(await add(agency)).toMatchObject({ created: false, role: 'viewer' })
    expect(await add(agency, '--role', 'developer')).toMatchObject({ created: false, role: 'developer' })
    const demote = ['merchants', 'add', '--email', owner, '--store', store, '--role', 'viewer']
    const refused = await runCommand(demote, { settings })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('this merchant is the only admin of the store and stays one')
    const unknown = await runCommand([...demote.slice(0, -1), 'owner'], { settings })
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Accepted: admin, developer, viewer.'),
    })
    expect(await add(agency, '--role', 'admin')).toMatchObject({ role: 'admin' })
    expect(await runJson(...demote)).toMatchObject({ role: 'viewer' })
    const { merchants } = await runJson('merchants', 'list')
    expect(merchants).toContainEqual(expect.objectContaining({ email: owner, stores: [{ id: store, role: 'viewer' }] }))
  })

  test.each(['0', '61', '5.5', '1e1', ''])(
    'if --minutes is %j, `merchants link` exits with code 2 and prints the accepted minutes',
    async (minutes) => {
      const words = ['merchants', 'link', '--email', 'a@example.com', '--minutes', minutes]
      const ended = await runCommand(words, { settings })
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toContain('Accepted: a whole number from 1 to 60.')
    },
  )

  test.each([
    [['add', '--email', 'no address', '--store', 'x'], 2, 'must be an email address such as name@shop.example'],
    [['add', '--email', 'a@example.com', '--store', 'x'], 1, 'no store has the ID "x"'],
    [['link', '--email', 'unknown@example.com'], 1, 'no merchant has the address "unknown@example.com"'],
    [['reset-two-factor', '--email', 'unknown@example.com'], 1, 'no merchant has the address "unknown@example.com"'],
    [['remove-passkeys', '--email', 'unknown@example.com'], 1, 'no merchant has the address "unknown@example.com"'],
    [['remove', '--email', 'unknown@example.com'], 1, 'no merchant has the address "unknown@example.com"'],
  ])(
    'if `store-export merchants` gets the arguments %j, it fails and prints one line about the wrong argument',
    async (words, code, sentence) => {
      const ended = await runCommand(['merchants', ...words], { settings })
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(sentence)
      expect(ended.stderr.trim().split('\n')).toHaveLength(1)
    },
  )
})

test("after `secrets rotate`, the new secret decrypts the store's database password without STORE_EXPORT_SECRET_PREVIOUS", async () => {
  const database = await createDatabase()
  const old = { DATABASE_URL: database.url, SECRET: secret }
  const next = { DATABASE_URL: database.url, SECRET: newSecret() }
  expect((await runCommand(['migrate'], { settings: old })).code).toBe(0)
  const add = ['stores', 'add', '--name', 'S', '--database-url', '-']
  expect((await runCommand(add, { settings: old, input: 'postgres://reader:hush@db.example/shop' })).code).toBe(0)
  expect((await runCommand(['secrets', 'rotate'], { settings: next })).code).toBe(1)
  const rotated = await runCommand(['secrets', 'rotate', '--json'], { settings: { ...next, SECRET_PREVIOUS: secret } })
  expect(rotated.json).toEqual({ reencrypted: 1, unchanged: 0 })
  expect((await runCommand(['secrets', 'rotate', '--json'], { settings: next })).json).toEqual({
    reencrypted: 0,
    unchanged: 1,
  })
  await database.drop()
})
