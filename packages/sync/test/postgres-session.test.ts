import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CopyError, CopyUnavailableError } from '../src/copies/copy.ts'
import { PostgresCopy } from '../src/copies/postgres/postgres-copy.ts'
import { PostgresSession } from '../src/copies/postgres/postgres-session.ts'
import { TABLES } from '../src/tables.ts'
import { openCopy, order, SCHEMA, write } from './support/postgres-copies.ts'

describe('the connection to a PostgreSQL copy', () => {
  const closeConnections = (sql: postgres.Sql) =>
    sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name = 'store-sync'`

  test('if the connection to a PostgreSQL copy is lost between pages, write throws CopyUnavailableError, and the page written before remains', async () => {
    const { url, sql, copy } = await openCopy()
    await write(copy, order())
    await closeConnections(sql)
    await expect(write(copy, order())).rejects.toThrow(/^the connection to postgres:.* was lost.*run again/)
    await expect(write(copy, order())).rejects.toThrow(CopyUnavailableError)
    const next = new PostgresCopy({ url })
    await next.open(TABLES)
    onTestFinished(() => next.close())
    expect(await next.count('orders')).toBe(1)
  })

  test('if the connection to a PostgreSQL copy is lost during a page, the page is rolled back, and the copy can be opened again', async () => {
    const { url, sql, copy } = await openCopy()
    const { id } = order()
    const page = order({ id, items: [{ id: randomUUID(), order_id: id }] })
    const blocker = postgres(url, { max: 1 })
    onTestFinished(() => blocker.end())
    await blocker.unsafe('begin').simple()
    await blocker.unsafe(`lock table ${SCHEMA}.order_items`).simple()
    const written = expect(write(copy, page)).rejects.toThrow(CopyUnavailableError)
    const isWaiting = async () =>
      (
        await sql`select 1 from pg_stat_activity where application_name = 'store-sync' and wait_event_type = 'Lock'
        and datname = current_database()`
      ).length > 0
    await expect.poll(isWaiting).toBe(true)
    await closeConnections(sql)
    await written
    await blocker.unsafe('rollback').simple()
    const next = new PostgresCopy({ url })
    await next.open(TABLES)
    onTestFinished(() => next.close())
    expect(await next.count('orders')).toBe(0)
  })

  test('if another program locks a table of a PostgreSQL copy, a write throws CopyUnavailableError, and a write after the lock succeeds', async () => {
    const { url, sql, copy } = await openCopy()
    await sql.unsafe(`alter database "${new URL(url).pathname.slice(1)}" set lock_timeout = '50ms'`)
    await copy.close()
    await copy.open(TABLES)
    const blocker = postgres(url, { max: 1 })
    onTestFinished(() => blocker.end())
    await blocker.unsafe('begin').simple()
    await blocker.unsafe(`lock table ${SCHEMA}.orders`).simple()
    const rejection = await write(copy, order()).catch((error: unknown) => error)
    expect(rejection).toBeInstanceOf(CopyUnavailableError)
    expect(String(rejection)).toMatch(/another program blocked postgres:.*lock timeout.*run again/)
    await blocker.unsafe('rollback').simple()
    await write(copy, order())
    expect(await copy.count('orders')).toBe(1)
  })

  test('if the server of a PostgreSQL copy does not respond to a statement in time, this statement and later statements throw CopyUnavailableError', async () => {
    const { url } = await openCopy()
    const session = new PostgresSession(url, 'the copy', 1000)
    onTestFinished(() => session.end())
    await session.run('select 1')
    const run = session.run('select pg_sleep(60)')
    await expect(run).rejects.toThrow('the connection to the copy was lost (no response within 1 s); run again')
    await expect(session.run('select 1')).rejects.toThrow(CopyUnavailableError)
  })

  test('if the server of a PostgreSQL copy refuses the connection or the URL is invalid, the error does not show the password', async () => {
    const url = 'postgres://ann:se%2Fcret@127.0.0.1:1/shop?password=secret'
    const copy = new PostgresCopy({ url })
    expect(copy.name).toBe('postgres://ann@127.0.0.1:1/shop, schema store_export')
    const refused = await copy.open(TABLES).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(CopyUnavailableError)
    expect(String(refused)).toMatch(/cannot connect to .* \(.*ECONNREFUSED/)
    const invalid = new PostgresCopy({ url: 'postgres://ann:secret@[/shop' })
    const rejected = await invalid.open(TABLES).catch((error: unknown) => error)
    expect(rejected, 'an invalid URL is no temporary failure').toBeInstanceOf(CopyError)
    for (const error of [refused, rejected])
      expect(`${error} ${JSON.stringify(error)} ${invalid.name}`).not.toMatch(/se(%2F)?cret/)
  })
})
