import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { parseConnectionUrl } from './connection-url.ts'
import { openPool, type Sql } from './driver-pool.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

function open(connectionsMax: number, counts = { opened: 0 }): Sql {
  const onOpen = () => void counts.opened++
  const sql = openPool(parseConnectionUrl(database.url), { connectionsMax, applicationName: 'spread', onOpen })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

const pidOf = async (sql: Sql) => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid, pg_sleep(0.05)`)[0].pid

test('statements one after the other take one connection', async () => {
  const counts = { opened: 0 }
  const sql = open(4, counts)
  const pids = new Set<number>()
  for (let n = 0; n < 20; n++) pids.add(await pidOf(sql))
  expect([pids.size, counts.opened]).toEqual([1, 1])
})

test('statements at once take all connections, and what is more waits its turn', async () => {
  const sql = open(3)
  const pids = await Promise.all(Array.from({ length: 9 }, () => pidOf(sql)))
  expect(new Set(pids).size).toBe(3)
})

test('a connection that hangs keeps nobody who finds another one', async () => {
  const sql = open(2)
  const hanging = sql`select pg_sleep(1)`.then(() => 'late')
  await delay(50)
  const quick = (async () => {
    for (let n = 0; n < 20; n++) await sql`select 1`
    return 'soon'
  })()
  expect(await Promise.race([hanging, quick])).toBe('soon')
  await hanging
})

test('fragments, names, lists and errors are those of one pool', async () => {
  const sql = open(3)
  await sql.unsafe('create table things (id int, word text)')
  await sql`insert into things ${sql([{ id: 1, word: 'a' }])}`
  const where = sql`where id = ${1}`
  expect([...(await sql`select word from ${sql('things')} ${where}`)]).toEqual([{ word: 'a' }])
  await expect(sql`select 1 / 0`).rejects.toMatchObject({ code: '22012' })
  await expect(sql.unsafe('select $1::int as n', [7])).resolves.toEqual([{ n: 7 }])
  const last = Promise.all(Array.from({ length: 9 }, () => pidOf(sql)))
  await Promise.all([last, delay(20).then(() => sql.end())])
  expect(await last).toHaveLength(9)
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
})
