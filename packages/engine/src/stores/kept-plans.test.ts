import { openPool, parseConnectionUrl } from '@store-export/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import { KeptPlans } from './kept-plans.ts'
import { readRows } from './read-rows.ts'

test('[ERR-3] a plan that was made when a store was small does not outlive its growth', async () => {
  const database = await createDatabase()
  const sql = openPool(parseConnectionUrl(database.url), { connectionsMax: 1, applicationName: 'test' })
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  await sql.unsafe('create table lines (id int, parent int) with (autovacuum_enabled = off)')
  await sql.unsafe('create index on lines (parent); insert into lines values (1, 1); analyze lines')
  const plans = new KeptPlans()
  const text = 'select id from lines where parent = 7'
  const read = async () => {
    await plans.renew(sql)
    await readRows(sql, { text, values: [], isRepeated: true }, { take: () => undefined })
    const [{ name } = { name: '' }] = await sql.unsafe<{ name: string }[]>(
      `select name from pg_prepared_statements where statement = '${text}'`,
    )
    const plan = await sql.unsafe(`explain execute "${name}"`)
    return plan.map((row) => Object.values(row)[0]).join('\n')
  }
  expect(await read()).toContain('Seq Scan')
  await sql.unsafe('insert into lines select n, n from generate_series(2, 50000) n')
  expect(await read(), 'this is what the defence is for').toContain('Seq Scan')
  plans.distrust(sql)
  expect(await read()).not.toContain('Seq Scan')
})
