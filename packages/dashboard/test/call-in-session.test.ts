import { TimeLimitPassed } from '@store-export/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../control/test/support/control-database.ts'
import { workInSession } from '../src/accounts/call-in-session.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
  await control.sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    select 'm' || n, '', n || '@example.com', true, now(), now() from generate_series(1, 2) as n`
  await control.sql`
    insert into merchant_sessions (id, token, merchant_id, expires_at, created_at, updated_at)
    select 's' || n, 't' || n, 'm' || n, now() + interval '1 day', now(), now() from generate_series(1, 2) as n`
})
afterAll(() => control.drop())

const LIMIT_MS = 50

test('if two calls run, a third call rejects at its time limit without a call of its work, and later calls run', async () => {
  const ends: (() => void)[] = []
  const hold = () => new Promise<string>((resolve) => ends.push(() => resolve('held')))
  const held = ['s1', 's2'].map((session) => workInSession(control.database, session, hold))
  await expect.poll(() => ends.length).toBe(2)
  const late = workInSession(control.database, 's1', () => expect.unreachable(), LIMIT_MS)
  await expect(late).rejects.toThrow(TimeLimitPassed)
  for (const end of ends) end()
  expect(await Promise.all(held)).toEqual(['held', 'held'])
  const later = ['s1', 's2'].map((session) => workInSession(control.database, session, async () => session))
  expect(await Promise.all(later)).toEqual(['s1', 's2'])
})

test('if another transaction locks the account, a call rejects at its time limit, and later calls run', async () => {
  await control.sql.begin(async (sql) => {
    await sql`select from merchants where id = 'm1' for update`
    const locked = [1, 2].map(() => workInSession(control.database, 's1', () => expect.unreachable(), LIMIT_MS))
    for (const result of await Promise.allSettled(locked)) expect(result).toMatchObject({ status: 'rejected' })
    expect(await workInSession(control.database, 's2', async () => 'done')).toBe('done')
  })
  expect(await workInSession(control.database, 's1', async () => 'done')).toBe('done')
})
