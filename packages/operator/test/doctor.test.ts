import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import type { Finding } from '../src/doctor/report.ts'
import { connect, dropAfterTest, newSecret, PATIENCE, run } from './command-support.ts'

vi.setConfig(PATIENCE)

let control: TestDatabase
let settings: Record<string, string>

beforeAll(async () => {
  control = await createDatabase()
  settings = { DATABASE_URL: control.url, SECRET: newSecret() }
  await run(['migrate'], { settings })
})
afterAll(() => control.drop())

async function provision(revision: string) {
  const words = ['stores', 'provision', '--name', 'Patient', '--revision', revision, '--json']
  const { json } = await run(words, { settings })
  dropAfterTest(json.id)
  return { id: json.id as string, owner: connect(json.database_url), role: new URL(json.reader_url).username }
}

/** The report on one store: exit code, revision, and its findings that are no notes. */
async function examine(id: string) {
  const { code, json } = await run(['doctor', '--store', id, '--json'], { settings })
  expect(Object.keys(json.stores[0])).toEqual(['id', 'name', 'ok', 'revision', 'findings'])
  const all: Finding[] = json.stores[0].findings
  const findings = all.filter(({ severity }) => severity !== 'note')
  expect([code, json.stores[0].ok]).toEqual(findings.length === 0 ? [0, true] : [1, false])
  return { revision: json.stores[0].revision, findings, all }
}

describe('doctor', () => {
  test('[R28] finds missing grants and indexes and a readable password; each fix works as it is printed', async () => {
    const { id, owner, role } = await provision('v1.6')
    expect(await examine(id)).toMatchObject({ revision: 'v1.6', findings: [] })
    await owner.unsafe(`revoke select (currency, locale) on orders from "${role}"`)
    await owner.unsafe(`grant select (password_hash) on customers to "${role}"`)
    await owner.unsafe('drop index orders_walk, customers_changed; create index customers_changed on customers (name)')
    const { revision, findings } = await examine(id)
    expect(revision).toBe('v1.6')
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
      'create index concurrently customers_changed_2 on public.customers ((coalesce(updated_at, created_at)), created_at, id);',
    ])
    for (const fix of fixes) await owner.unsafe(fix)
    expect(await examine(id)).toMatchObject({ revision: 'v1.6', findings: [] })
  })

  test('a half-migrated store is at the revision whose columns are all there', async () => {
    const { id, owner } = await provision('v1.5')
    await owner`alter table orders drop column tax_breakdown`
    const { revision, findings } = await examine(id)
    expect(revision).toBe('v1.3')
    expect(findings).toEqual([
      {
        severity: 'warning',
        code: 'missing_columns',
        message: expect.stringContaining('orders.tax_breakdown'),
        fix: `store-export stores upgrade ${id} --to v1.5`,
      },
    ])
  })

  test('columns that a platform’s own database lacks are for the platform to add', async () => {
    const { id, owner } = await provision('v1.5')
    await owner`drop table store_schema_revisions`
    await owner`alter table orders drop column tax_breakdown`
    const { findings } = await examine(id)
    expect(findings.map(({ code }) => code)).toEqual(['missing_columns'])
    expect(findings[0]?.fix).toContain("in the platform's own migration")
  })

  test('[R23, RES-ADDRESS] removed addresses that would be served are an error', async () => {
    const { id, owner, role } = await provision('v1.6')
    await owner.unsafe(`revoke select (deleted_at) on customer_addresses from "${role}"`)
    const hidden = await examine(id)
    expect(hidden.findings.map(({ severity, code }) => [severity, code])).toEqual([['error', 'missing_grant']])
    expect(hidden.findings[0]?.message).toContain('rows that were removed are served again')
    await owner`alter table customer_addresses drop column deleted_at`
    const gone = (await examine(id)).findings.filter(({ severity }) => severity === 'error')
    expect(gone.map(({ code }) => code)).toEqual(['removed_rows_served'])
    for (const { fix } of [...gone, ...hidden.findings]) await owner.unsafe(fix ?? '')
    expect((await examine(id)).findings.filter(({ code }) => code !== 'missing_index')).toEqual([])
  })

  test('a table of launch, or its id, that may not be read is an error', async () => {
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
    const { findings } = await examine(id)
    const told = findings.map(({ severity, message }) => [severity, /(?<=: ).*/.exec(message)?.[0]])
    expect(told).toEqual([
      ['warning', 'served as null'],
      ['error', 'served with an id of zeros'],
      ['error', 'requests answer 502'],
      ['error', 'requests answer 502'],
    ])
    for (const { fix } of findings) await owner.unsafe(fix ?? '')
    expect((await examine(id)).findings).toEqual([])
  })

  test('[R42] a newer table that may not be read is an error, not an empty list; its fix works', async () => {
    const { id, owner, role } = await provision('v1.6')
    await owner.unsafe(`alter table locations rename to locations_before;
      create table locations (like locations_before including all)`)
    const { findings } = await examine(id)
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([['error', 'missing_grant']])
    expect(findings[0]?.message).toContain('requests answer 502')
    for (const { fix } of findings) await owner.unsafe(fix ?? '')
    await owner.unsafe(`revoke select on locations_before from "${role}"`)
    expect((await examine(id)).findings).toEqual([])
  })

  test('[R17] values that break the contract are counted', async () => {
    const { id, owner } = await provision('launch')
    await owner`alter table orders alter created_at drop not null, alter updated_at drop not null`
    await owner`insert into orders (id, email, status, total, created_at) values
      (gen_random_uuid(), 'a', 'paid', 'NaN', null), (gen_random_uuid(), 'b', 'lost', 1, 'infinity'),
      (gen_random_uuid(), 'c', 'lost', 1, now())`
    await owner`alter table orders disable trigger user`
    await owner`update orders set updated_at = null where email = 'c'`
    const { findings } = await examine(id)
    const told = findings.map(
      ({ code, message }) => `${code} ${/^\S+/.exec(message)?.[0]} ${/in (\d+) rows?/.exec(message)?.[1]}`,
    )
    const places = findings.filter(({ message }) => message.includes('last in lists'))
    expect(places.map(({ message }) => /^\S+/.exec(message)?.[0])).toEqual(['orders.created_at'])
    expect(told.sort()).toEqual([
      'value_infinite orders.created_at 1',
      'value_not_a_number orders.total 1',
      'value_null orders.created_at 1',
      'value_null orders.updated_at 1',
      'value_outside_the_list orders.status 2',
    ])
  })

  test('a store that cannot be reached is a finding, the others are looked at all the same', async () => {
    const url = 'postgres://reader:hush@127.0.0.1:1/shop'
    const add = ['stores', 'add', '--name', 'Gone', '--json', '--database-url', '-']
    const gone = (await run(add, { settings, input: url })).json.id
    const { id } = await provision('v1.2')
    const { code, json, stdout } = await run(['doctor', '--json'], { settings })
    expect(code).toBe(1)
    const byId = new Map(json.stores.map((store: { id: string }) => [store.id, store]))
    expect(byId.get(gone)).toMatchObject({ ok: false, revision: null, findings: [{ code: 'unreachable' }] })
    expect(byId.get(id)).toMatchObject({ ok: true, revision: 'v1.2' })
    expect(stdout).not.toContain('hush')
    const people = await run(['doctor'], { settings })
    expect(people.stdout).toMatch(/^ {2}! {3}connection {2}the database cannot be reached/m)
    expect(people.stdout).toMatch(/^ {2}ok {2}schema {6}v1\.2, all columns are there$/m)
    const other = { ...settings, SECRET: newSecret() }
    const sealed = await run(['doctor', '--store', gone, '--json'], { settings: other })
    expect(sealed.json.stores[0].findings[0].code).toBe('password_sealed')
    expect(sealed.json.control.ok).toBe(false)
  })

  test('an unknown store is one sentence', async () => {
    const { code, stderr } = await run(['doctor', '--store', 'nobody'], { settings })
    expect([code, stderr]).toEqual([1, 'store-export: no store has the id "nobody"\n'])
  })
})
