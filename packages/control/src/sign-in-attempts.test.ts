import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { countAttempt, deleteEndedWindows, discountAttempt } from './sign-in-attempts.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const NOON = Date.parse('2026-03-01T12:00:00Z')
let count = 0
const newScope = () => `account ${count++}`

/** Makes attempts at this second. Returns how many are allowed. */
async function attempt(scopes: readonly string[], times: number, second = 0): Promise<number> {
  let allowed = 0
  for (let index = 0; index < times; index += 1) {
    const verdict = await countAttempt(control.database, scopes, new Date(NOON + second * 1000))
    if (verdict.allowed) allowed += 1
  }
  return allowed
}

describe('sign-in attempts', () => {
  test('after ten sign-in attempts in a minute, the next attempt is rejected with the number of seconds to wait', async () => {
    const scope = newScope()
    expect(await attempt([scope], 14)).toBe(10)
    const verdict = await countAttempt(control.database, [scope], new Date(NOON + 20_000))
    expect(verdict).toEqual({ allowed: false, waitSeconds: 40 })
  })

  test('if one account or one IP address has 15 sign-in attempts in a minute, exactly ten are allowed', async () => {
    const account = newScope()
    let allowed = 0
    for (let index = 0; index < 15; index += 1) allowed += await attempt([account, newScope()], 1)
    expect(allowed).toBe(10)
    const address = newScope()
    allowed = 0
    for (let index = 0; index < 15; index += 1) allowed += await attempt([newScope(), address], 1)
    expect(allowed).toBe(10)
  })

  test('if the sign-in limit is reached repeatedly, the wait doubles up to 16 minutes, and resets after half an hour', async () => {
    const scope = newScope()
    const waits: number[] = []
    let second = 0
    for (let round = 0; round < 6; round += 1) {
      await attempt([scope], 11, second)
      const verdict = await countAttempt(control.database, [scope], new Date(NOON + second * 1000))
      const wait = verdict.allowed ? 0 : verdict.waitSeconds
      waits.push(wait)
      second += wait
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 960])
    expect(await attempt([scope], 11, second + 1801)).toBe(10)
    const verdict = await countAttempt(control.database, [scope], new Date(NOON + (second + 1801) * 1000))
    expect(verdict).toEqual({ allowed: false, waitSeconds: 60 })
  })

  test('if a wrong clock set the counter of sign-in attempts to a future minute, the next attempt resets the counter', async () => {
    const scope = newScope()
    expect(await attempt([scope], 11, 7200)).toBe(10)
    expect(await attempt([scope], 11)).toBe(10)
  })

  test('if two nodes count fifty sign-in attempts for the same account at once, exactly ten are allowed', async () => {
    const scopes = [newScope(), newScope()]
    const nodes = [control.database, control.secondNode()]
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        countAttempt(nodes[index % 2] ?? control.database, index % 3 === 0 ? scopes : scopes.toReversed()),
      ),
    )
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10)
  })

  test('successful sign-ins do not count toward the limit of sign-in attempts', async () => {
    const scopes = [newScope(), newScope()]
    for (let index = 0; index < 30; index += 1) {
      expect(await countAttempt(control.database, scopes)).toEqual({ allowed: true })
      await discountAttempt(control.database, scopes)
    }
  })

  test('the cleanup deletes counters of sign-in attempts whose one-minute window ended long ago', async () => {
    const scope = newScope()
    await attempt([scope], 1)
    expect(await deleteEndedWindows(control.database)).toBeGreaterThan(0)
  })
})
