import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { claimAlertRound } from './alerts.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

test('if three nodes claim an alert round at once, one claim succeeds, and another claim succeeds four minutes later, but not earlier', async () => {
  const { database, sql } = control
  const claims = await Promise.all([1, 2, 3].map(() => claimAlertRound(database)))
  expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
  expect(await claimAlertRound(database)).toBeNull()
  await sql`update alert_rounds set begun_at = begun_at - interval '4 minutes'`
  expect(await claimAlertRound(database)).not.toBeNull()
})

test('claimAlertRound returns the start of the first alert round since the last gap of more than 30 minutes', async () => {
  const { database, sql } = control
  await sql`delete from alert_rounds`
  const first = await claimAlertRound(database)
  await sql`update alert_rounds set begun_at = begun_at - interval '29 minutes'`
  expect(await claimAlertRound(database)).toEqual(first)
  await sql`update alert_rounds set begun_at = begun_at - interval '31 minutes'`
  const afterGap = await claimAlertRound(database)
  expect(afterGap?.getTime()).toBeGreaterThan(first?.getTime() ?? Number.NaN)
})
