import { expect, onTestFinished, test } from 'vitest'
import { createControlDatabase } from '../../../test/control-database.ts'
import { createKey } from '../../access/key-ring.ts'
import { readUsageHours } from './reading.ts'
import { sumUpOldHours } from './retention.ts'

const NOW = new Date('2026-03-20T15:30:00Z')

test('hours older than the setting become one row for each key and UTC day, and their sums stay', async () => {
  const control = await createControlDatabase()
  onTestFinished(() => control.drop())
  const { database, random } = control
  const { id: storeId } = await control.store()
  const newKey = async (name: string) => (await createKey({ database, storeId, name, createdBy: null, random })).id
  const keys = [await newKey('one'), await newKey('two')]
  // three days of hours; 32 days before today's start is 2026-02-16 00:00 UTC
  for (const keyId of keys) {
    await database.sql`
      insert into usage_hours (key_id, hour, answered, client_errors, refused, failed, peak_minute)
      select ${keyId}, hour, 1, 2, 3, 4, extract(hour from hour at time zone 'UTC')::int
      from generate_series('2026-02-14 00:00+00'::timestamptz, '2026-02-16 23:00+00', interval '1 hour') as hour`
  }
  const read = () => readUsageHours({ database, storeId, since: new Date(0) })
  expect(await read()).toHaveLength(2 * 3 * 24)
  expect(await sumUpOldHours({ database, usageHourDays: 32, now: NOW })).toBe(2 * 2 * 23)
  const hours = await read()
  const whole = { answered: 24, clientErrors: 48, refused: 72, failed: 96, peakMinute: 23 }
  for (const keyId of keys) {
    const ofKey = hours.filter((each) => each.keyId === keyId)
    expect(ofKey.slice(0, 2)).toEqual([
      { keyId, hour: new Date('2026-02-14T00:00:00Z'), ...whole },
      { keyId, hour: new Date('2026-02-15T00:00:00Z'), ...whole },
    ])
    expect(ofKey.slice(2)).toHaveLength(24)
  }
  expect(await sumUpOldHours({ database, usageHourDays: 32, now: NOW })).toBe(0)
  expect(await read()).toEqual(hours)
})

test('two nodes that sum up at once lose nothing and count nothing twice', async () => {
  const control = await createControlDatabase()
  onTestFinished(() => control.drop())
  const { database, random } = control
  const { id: storeId } = await control.store()
  const { id: keyId } = await createKey({ database, storeId, name: 'k', createdBy: null, random })
  await database.sql`
    insert into usage_hours (key_id, hour, answered)
    select ${keyId}, hour, 1 from generate_series('2025-03-01 05:00+00'::timestamptz, '2026-01-31 23:00+00', interval '1 hour') as hour`
  const nodes = [database, control.secondNode(), control.secondNode()]
  const before = (await readUsageHours({ database, storeId, since: new Date(0) })).length
  await Promise.all(nodes.map((node) => sumUpOldHours({ database: node, usageHourDays: 32, now: NOW })))
  const after = await readUsageHours({ database, storeId, since: new Date(0) })
  expect(after.reduce((sum, { answered }) => sum + answered, 0)).toBe(before)
  expect(after).toHaveLength(31 + 30 + 31 + 30 + 31 + 31 + 30 + 31 + 30 + 31 + 31)
})
