import { connect, parseConnectionUrl, queryRows } from '@store-export/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import { CachedPlans } from './cached-plans.ts'

test('[ERR-3] if a table has grown, a prepared statement uses its old plan until CachedPlans.expire is called, and then gets a new plan', async () => {
  const database = await createDatabase()
  const connection = await connect(parseConnectionUrl(database.url), { applicationName: 'test' })
  onTestFinished(async () => {
    await connection.close()
    await database.drop()
  })
  await connection.script('create table lines (id int, parent int) with (autovacuum_enabled = off)')
  await connection.script('create index on lines (parent); insert into lines values (1, 1); analyze lines')
  const plans = new CachedPlans()
  const text = 'select id from lines where parent = 7'
  const rowsOf = (text: string) => queryRows<Record<string, string>>(connection, { text, values: [] })
  const planOfRead = async () => {
    await plans.renew(connection)
    await queryRows(connection, { text, values: [], prepared: true })
    const [statement] = await rowsOf(`select name from pg_prepared_statements where statement = '${text}'`)
    const plan = await rowsOf(`explain execute "${statement?.name}"`)
    return plan.map((line) => line['QUERY PLAN']).join('\n')
  }
  expect(await planOfRead()).toContain('Seq Scan')
  await connection.script('insert into lines select n, n from generate_series(2, 50000) n')
  expect(await planOfRead(), 'without a renewal the old plan stays').toContain('Seq Scan')
  plans.expire(connection)
  expect(await planOfRead()).not.toContain('Seq Scan')
})
