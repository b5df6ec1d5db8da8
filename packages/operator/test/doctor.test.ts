import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { EncryptionKey, openControlDatabase } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { withConnection } from '../../../test/support/client.ts'
import { createDatabase, createMigratedDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { readConfig } from '../src/config.ts'
import { examineControl } from '../src/doctor/examine-control.ts'
import { type DoctorFinding, findingsOf } from '../src/doctor/report.ts'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
} from './support/command-process.ts'
import { openProxy } from './support/tcp-proxy.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

let control: TestDatabase
let settings: Record<string, string>

beforeAll(async () => {
  control = await createDatabase()
  settings = { DATABASE_URL: control.url, SECRET: newSecret() }
  await runCommand(['migrate'], { settings })
})
afterAll(() => control.drop())

async function provision(revision: string) {
  const args = ['stores', 'provision', '--name', 'Patient', '--revision', revision, '--json']
  const { json } = await runCommand(args, { settings })
  dropAfterTest(json.id)
  return { id: json.id as string, owner: openClientForTest(json.database_url), role: new URL(json.reader_url).username }
}

/** Examines one store, and expects the exit code for its findings. `findings` are the errors and warnings. */
async function examine(id: string, ...options: string[]) {
  const { code, json } = await runCommand(['doctor', '--store', id, '--json', ...options], { settings })
  expect(Object.keys(json.stores[0])).toEqual(['id', 'name', 'ok', 'revision', 'findings'])
  const all: DoctorFinding[] = json.stores[0].findings
  const findings = all.filter(({ severity }) => severity !== 'note')
  expect([code, json.stores[0].ok]).toEqual(findings.length === 0 ? [0, true] : [1, false])
  return { revision: json.stores[0].revision, findings, all }
}

describe('store-export doctor', () => {
  test('[R28] if grants or indexes are missing, running the SQL that doctor prints creates these grants and indexes', async () => {
    const { id, owner, role } = await provision(LATEST_REVISION)
    expect(await examine(id)).toMatchObject({ revision: LATEST_REVISION, findings: [] })
    await owner.unsafe(`revoke select (currency, locale) on orders from "${role}"`)
    await owner.unsafe(`grant select (password_hash) on customers to "${role}"`)
    await owner.unsafe('drop index orders_walk, customers_changed; create index customers_changed on customers (name)')
    const { revision, findings } = await examine(id)
    expect(revision).toBe(LATEST_REVISION)
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([
      ['warning', 'missing_grant'],
      ['error', 'readable_password'],
      ['warning', 'missing_index'],
      ['warning', 'missing_index'],
    ])
    const fixes = findings.map(({ fix }) => fix ?? '')
    expect(fixes[0]).toBe(`grant select ("currency", "locale") on public."orders" to "${role}";`)
    expect(fixes.slice(2)).toEqual([
      'create index concurrently orders_walk on public.orders (created_at, id, updated_at);',
      'create index concurrently customers_changed_2 on public.customers (updated_at, created_at, id);',
    ])
    for (const fix of fixes) await owner.unsafe(fix)
    expect(await examine(id)).toMatchObject({ revision: LATEST_REVISION, findings: [] })
  })

  test('if migrations were only partly applied, running the SQL that doctor prints adds the missing columns', async () => {
    const { id, owner, role } = await provision('v1.5')
    await owner`insert into products (id, name, slug, price) values (gen_random_uuid(), 'n', 's', 1)`
    await owner`alter table orders drop column tax_breakdown`
    await owner`alter table products drop column metafields, drop column slug`
    await owner`drop table locations`
    const { revision, findings } = await examine(id)
    expect(revision).toBeNull()
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([['error', 'missing_columns']])
    const fix = findings[0]?.fix ?? ''
    expect(fix).toContain(`alter table public."orders" add column "tax_breakdown" jsonb;
grant select ("tax_breakdown") on public."orders" to "${role}";`)
    expect(fix).toContain(`add column "slug" text, add column "metafields" jsonb not null default '[]';`)
    await owner.unsafe(fix)
    const indexes = (await examine(id)).findings
    expect(indexes.map(({ code }) => code)).toEqual(['missing_index'])
    for (const { fix } of indexes) await owner.unsafe(fix ?? '')
    expect(await examine(id)).toMatchObject({ revision: 'v1.5', findings: [] })
  })

  test('doctor reports missing indexes even if columns of the first schema version are missing, but reports none for views', async () => {
    const { id, owner, role } = await provision('launch')
    await owner.unsafe('alter table products drop column vendor; drop index products_status_walk, orders_walk')
    await owner.unsafe(`create table parted (like orders including defaults) partition by range (created_at);
      drop table orders cascade; alter table parted rename to orders; create table rest partition of orders default;
      create index on orders (updated_at, created_at, id); create index on orders (created_at, id, updated_at);
      grant select on orders to "${role}"`)
    const missing = (await examine(id)).findings.filter(({ code }) => code === 'missing_index')
    expect(missing.map(({ fix }) => fix)).toEqual([
      'create index concurrently products_status_walk on public.products (status, created_at, id, updated_at);',
      'create index orders_status_walk on public.orders (status, created_at, id, updated_at);',
    ])
    expect(missing[0]?.message).toContain('pages are slow and can be short or empty')
    for (const { fix } of missing) await owner.unsafe(fix ?? '')
    await owner.unsafe(`create schema kept;
      do $$ declare t record; begin
        for t in select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'rest' loop
          execute format('alter table public.%I set schema kept; create view public.%I as select * from kept.%I', t.name, t.name, t.name);
        end loop;
      end $$`)
    const views = await runCommand(['doctor', '--store', id], { settings })
    expect(views.stdout).toMatch(/^ {3}- {2}indexes {7}not checked$/m)
    expect(views.stdout).toMatch(/note: doctor cannot see the indexes behind a view or a foreign table .*orders/)
  })

  test('if a table is locked, doctor names the process that holds the lock, and examines the other stores', async () => {
    const { id, owner } = await provision(LATEST_REVISION)
    const other = await provision('v1.1')
    const [{ pid }] = await owner<[{ pid: number }]>`select pg_backend_pid() as pid`
    await owner.unsafe('begin; lock table orders in access exclusive mode')
    const { code, json } = await runCommand(['doctor', '--json'], { settings })
    await owner.unsafe('rollback')
    expect(code).toBe(1)
    const byId = new Map<string, { ok: boolean; findings: DoctorFinding[] }>(
      json.stores.map((store: { id: string }) => [store.id, store]),
    )
    expect(byId.get(other.id)).toMatchObject({ ok: true, revision: 'v1.1' })
    expect(byId.get(id)).toMatchObject({ ok: false, revision: LATEST_REVISION })
    const [locked] = byId.get(id)?.findings.filter(({ severity }) => severity !== 'note') ?? []
    expect(locked).toMatchObject({ severity: 'warning', code: 'locked_table' })
    expect(locked?.message).toContain(`process ${pid} holds an access exclusive lock on orders`)
    const [holder] = await owner.unsafe<[{ pid: number }]>(locked?.fix ?? '')
    expect(holder.pid).toBe(pid)
    expect((await examine(id)).findings).toEqual([])
  })

  test('if the reader role lacks the connect privilege on the store database, doctor prints the SQL that grants it', async () => {
    const { id, owner, role } = await provision(LATEST_REVISION)
    const [{ name }] = await owner<[{ name: string }]>`select current_database() as name`
    await owner.unsafe(`revoke connect on database "${name}" from "${role}"`)
    const { findings } = await examine(id)
    expect(findings).toMatchObject([
      { severity: 'error', code: 'missing_grant', fix: `grant connect on database "${name}" to "${role}";` },
    ])
    await owner.unsafe(findings[0]?.fix ?? '')
    expect((await examine(id)).findings).toEqual([])
  })

  test('[R23, RES-ADDRESS] if deleted_at of addresses is unreadable or missing, doctor reports that the API returns removed rows', async () => {
    const { id, owner, role } = await provision(LATEST_REVISION)
    await owner.unsafe(`revoke select (deleted_at) on customer_addresses from "${role}"`)
    const hidden = await examine(id)
    expect(hidden.findings.map(({ severity, code }) => [severity, code])).toEqual([['error', 'missing_grant']])
    expect(hidden.findings[0]?.message).toContain('the API returns removed rows')
    await owner`alter table customer_addresses drop column deleted_at`
    const gone = (await examine(id)).findings.filter(({ severity }) => severity === 'error')
    expect(gone.map(({ code }) => code)).toEqual(['removed_rows_served'])
    for (const { fix } of [...gone, ...hidden.findings]) await owner.unsafe(fix ?? '')
    expect((await examine(id)).findings.filter(({ code }) => code !== 'missing_index')).toEqual([])
  })

  test("doctor reports an error if a table or its id column can't be read, and a warning if only a name column can't be read", async () => {
    const { id, owner, role } = await provision('launch')
    const products = await owner<{ name: string }[]>`
      select attname as name from pg_attribute where attrelid = 'products'::regclass and attnum > 0`
    const revoked = {
      categories: ['name'],
      order_items: ['id'],
      orders: ['id'],
      products: products.map(({ name }) => name),
    }
    for (const [table, names] of Object.entries(revoked))
      await owner.unsafe(`revoke select (${names.join(', ')}) on ${table} from "${role}"`)
    await owner.unsafe(`revoke select (product_id) on product_variants from "${role}"`)
    const { findings } = await examine(id)
    const effects = findings.map(({ severity, message }) => [severity, /(?<=: ).*/.exec(message)?.[0]])
    expect(effects).toEqual([
      ['warning', 'the API returns null or an empty value'],
      ['error', 'the API returns an id of zeros'],
      ['error', 'requests get 502'],
      ['error', 'the API returns products without their product_variants'],
      ['error', 'requests get 502'],
    ])
    for (const { fix } of findings) await owner.unsafe(fix ?? '')
    expect((await examine(id)).findings).toEqual([])
  })

  test("[R42] if a table of a newer schema version can't be read, running the SQL that doctor prints makes the table readable", async () => {
    const { id, owner, role } = await provision(LATEST_REVISION)
    await owner.unsafe(`alter table locations rename to locations_before;
      create table locations (like locations_before including all)`)
    const { findings } = await examine(id)
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([['error', 'missing_grant']])
    expect(findings[0]?.message).toContain('requests get 502')
    for (const { fix } of findings) await owner.unsafe(fix ?? '')
    await owner.unsafe(`revoke select on locations_before from "${role}"`)
    expect((await examine(id)).findings).toEqual([])
  })

  test("if the service can't read the type of a column, running the SQL that doctor prints restores the type", async () => {
    const { id, owner } = await provision('launch')
    await owner`alter table orders alter total drop default, alter total type jsonb using to_jsonb(total)`
    const { findings } = await examine(id)
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'wrong_type']])
    expect(findings[0]?.message).toMatch(
      /^orders.total has the type jsonb, not one of numeric, .* null or an empty value$/,
    )
    await owner.unsafe(findings[0]?.fix ?? '')
    expect((await examine(id)).findings).toEqual([])
  })

  test("if the role of the nodes can change rows, running the SQL that doctor prints revokes the role's write privileges", async () => {
    const { id, owner, role } = await provision('launch')
    await owner.unsafe(`grant update on orders to "${role}"; grant insert on customers to public`)
    const note = (await examine(id)).all.find(({ code }) => code === 'may_write')
    expect(note).toMatchObject({
      severity: 'note',
      message: `${role} can change rows of customers, orders, but the service only reads`,
    })
    await owner.unsafe(note?.fix ?? '')
    expect((await examine(id)).all.map(({ code }) => code)).not.toContain('may_write')
  })

  test('[R17] if values violate the contract, doctor --values prints the number of rows for each field and cause', async () => {
    const { id, owner } = await provision('launch')
    await owner`alter table orders alter created_at drop not null, alter updated_at drop not null`
    await owner`insert into orders (id, email, status, total, created_at) values
      (gen_random_uuid(), 'a', 'paid', 'NaN', null), (gen_random_uuid(), 'b', 'lost', 1, 'infinity'),
      (gen_random_uuid(), 'c', 'lost', 1, now()), (gen_random_uuid(), 'd', 'paid', 1, now() + interval '1 day')`
    await owner`alter table orders disable trigger user`
    await owner`update orders set updated_at = null where email = 'c'`
    expect((await examine(id)).findings.filter(({ code }) => code.startsWith('value_'))).toEqual([])
    const { findings } = await examine(id, '--values')
    for (const { fix } of findings) await owner.unsafe((fix ?? '').split('\n')[0] ?? '')
    const counted = findings.map(
      ({ code, message }) => `${code} ${/^\S+/.exec(message)?.[0]} ${/in (\d+) rows?/.exec(message)?.[1]}`,
    )
    const places = findings.filter(({ message }) => message.includes('last in lists'))
    expect(places.map(({ message }) => /^\S+/.exec(message)?.[0])).toEqual(['orders.created_at'])
    expect(counted.sort()).toEqual([
      'value_in_the_future orders.created_at 1',
      'value_infinite orders.created_at 1',
      'value_not_a_number orders.total 1',
      'value_null orders.created_at 1',
      'value_null orders.updated_at 1',
      'value_outside_the_list orders.status 2',
    ])
  })

  test("if the database of a store can't be reached, doctor reports the store as unreachable and examines the other stores", async () => {
    const url = 'postgres://reader:hush@127.0.0.1:1/shop'
    const add = ['stores', 'add', '--name', 'Gone', '--json', '--database-url', '-']
    const gone = (await runCommand(add, { settings, input: url })).json.id
    const { id } = await provision('v1.2')
    const { code, json, stdout } = await runCommand(['doctor', '--json'], { settings })
    expect(code).toBe(1)
    const byId = new Map(json.stores.map((store: { id: string }) => [store.id, store]))
    expect(byId.get(gone)).toMatchObject({ ok: false, revision: null, findings: [{ code: 'unreachable' }] })
    expect(byId.get(id)).toMatchObject({ ok: true, revision: 'v1.2' })
    expect(stdout).not.toContain('hush')
    const people = await runCommand(['doctor'], { settings })
    expect(people.stdout).toMatch(/^ {2}! {3}connection {4}the store database cannot be reached/m)
    expect(people.stdout).toMatch(new RegExp(`^ {2}ok {2}Patient {2}${id} {2}v1\\.2$`, 'm'))
    const one = await runCommand(['doctor', '--store', id], { settings })
    expect(one.stdout).toMatch(/^ {2}ok {2}schema {8}v1\.2, all columns exist$/m)
    expect(one.stdout).toMatch(/^ {2}ok {2}transactions {2}no transaction has been open for an hour$/m)
    expect(one.stderr).toBe('')
    const other = { ...settings, SECRET: newSecret() }
    const sealed = await runCommand(['doctor', '--store', gone, '--json'], { settings: other })
    expect(sealed.json.stores[0].findings[0].code).toBe('password_not_decryptable')
    expect(sealed.json.control.ok).toBe(false)
  })

  test('if the database of a store does not respond, doctor reports the store as unreachable', async () => {
    const { id } = await provision(LATEST_REVISION)
    const { json } = await runCommand(['stores', 'list', '--json'], { settings })
    const { database_url } = json.stores.find((store: { id: string }) => store.id === id)
    const proxy = await openProxy(Number(new URL(database_url).port))
    proxy.setMode({ kind: 'freeze' })
    const url = Object.assign(new URL(database_url), { hostname: '127.0.0.1', port: String(proxy.port) }).href
    await runCommand(['stores', 'set', id, '--database-url', url], { settings })
    const { findings } = await examine(id)
    expect(findings).toMatchObject([
      { code: 'unreachable', message: expect.stringContaining('did not accept the session within') },
    ])
  })

  test('if doctor may not read pg_stat_ssl of the control database, doctor reports an error and closes its connection', async () => {
    const database = await createMigratedDatabase()
    const admin = openClientForTest(database.url)
    const role = `blind_${randomBytes(8).toString('hex')}`
    onTestFinished(async () => {
      await database.drop()
      await withConnection(inject('postgresUrl'), (connection) => connection.script(`drop role ${role}`))
    })
    await admin.unsafe(`create role ${role} login password 'p'; revoke select on pg_catalog.pg_stat_ssl from public`)
    const { config } = readConfig({})
    const controlUrl = Object.assign(new URL(database.url), { username: role, password: 'p' }).href
    const pool = openControlDatabase(database.url, { poolSize: 1, preparedStatements: true })
    const keys = { current: new EncryptionKey(randomBytes(32)), previous: null }
    const report = await examineControl({ config, controlUrl, keys, database: pool, random: randomBytes })
    await pool.close()
    expect(findingsOf(report.checks)).toMatchObject([
      { code: 'unreachable', message: expect.stringContaining('42501') },
    ])
    await expect.poll(() => admin`select from pg_stat_activity where usename = ${role}`).toEqual([])
  })

  test('if --values is given without --store, doctor exits with code 2', async () => {
    const { code, stdout, stderr } = await runCommand(['doctor', '--values'], { settings })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--store')
  })

  test('if no store has the ID after --store, doctor exits with code 1 and quotes this ID', async () => {
    const { code, stderr } = await runCommand(['doctor', '--store', 'unknown'], { settings })
    expect([code, stderr]).toEqual([1, 'store-export: no store has the ID "unknown"\n'])
  })
})
