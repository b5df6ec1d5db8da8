import { describe, expect, test } from 'vitest'
import { type Counts, StoreCounts } from './store-counts.ts'

const one = new Map([['orders', 1n]])
const two = new Map([['orders', 2n]])
const three = new Map([['orders', 3n]])

/** A clock that is set, counts of a second, and what makes them: requests one and three, who counts ahead two. */
function counted() {
  const clock = { ms: 0 }
  const counts = new StoreCounts({ maxAgeMs: 1000, now: () => clock.ms })
  const made = { here: 0, ahead: 0 }
  const ahead = Promise.withResolvers<Counts>()
  const connected = Promise.withResolvers<void>()
  const ask = () => counts.of('a', async () => (made.here++ === 0 ? one : three))
  const goAhead = () =>
    counts.renew('a', async (counting) => {
      await connected.promise
      await counting(() => {
        made.ahead++
        return ahead.promise
      })
    })
  return { clock, made, ahead, connected, ask, goAhead }
}

/** The same, counted at 0 and being counted ahead since 500. */
async function goingAhead() {
  const all = counted()
  all.connected.resolve()
  await all.ask()
  all.clock.ms = 500
  const going = all.goAhead()
  await all.connected.promise
  return { ...all, going }
}

describe('counts', () => {
  test('[RES-STORE] are kept as long as the setting says, and counted once for all who ask meanwhile', async () => {
    let now = 0
    let made = 0
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => now })
    const count = async () => (made++ === 0 ? one : two)
    expect(await Promise.all([counts.of('a', count), counts.of('a', count)])).toEqual([one, one])
    now = 999
    expect(await counts.of('a', count)).toBe(one)
    now = 1000
    expect(await counts.of('a', count)).toBe(two)
    expect(made).toBe(2)
  })

  test('[RES-STORE] past half their age are made anew, once, while nobody waits', async () => {
    const { clock, made, ahead, connected, ask, goAhead } = counted()
    connected.resolve()
    await goAhead()
    await ask()
    clock.ms = 499
    await goAhead()
    expect(made).toEqual({ here: 1, ahead: 0 })
    clock.ms = 500
    const going = [goAhead(), goAhead()]
    await connected.promise
    clock.ms = 600
    expect(await ask()).toBe(one)
    going.push(goAhead())
    ahead.resolve(two)
    await Promise.all(going)
    expect(await ask()).toBe(two)
    expect(made).toEqual({ here: 1, ahead: 1 })
  })

  test('[RES-STORE] made ahead are as old as the moment they were begun, not as the one they came', async () => {
    const { clock, made, ahead, ask, going } = await goingAhead()
    clock.ms = 900
    ahead.resolve(two)
    await going
    clock.ms = 1499
    expect(await ask()).toBe(two)
    clock.ms = 1500
    expect(await ask()).toBe(three)
    expect(made.here).toBe(2)
  })

  test('[RES-STORE] too old are not handed out: the ones under way are waited for, or counted anew', async () => {
    const { clock, made, ahead, ask, going } = await goingAhead()
    clock.ms = 1000
    const waiting = ask()
    clock.ms = 1500
    expect(await ask()).toBe(three)
    ahead.resolve(two)
    expect(await waiting).toBe(two)
    await going
    // what came last was begun first
    expect(await ask()).toBe(three)
    expect(made).toEqual({ here: 2, ahead: 1 })
  })

  test('[RES-STORE] a count that waits for a connection is waited for by nobody who has one', async () => {
    const { clock, made, connected, ask, goAhead } = counted()
    await ask()
    clock.ms = 500
    const going = goAhead()
    clock.ms = 1000
    expect(await ask()).toBe(three)
    connected.resolve()
    await going
    expect(made).toEqual({ here: 2, ahead: 0 })
  })

  test('[ERR-3] made ahead in vain cost nobody his answer', async () => {
    const { clock, made, ahead, ask, going } = await goingAhead()
    clock.ms = 1000
    const waiting = ask()
    ahead.reject(new Error('cut'))
    await going
    expect(await waiting).toBe(three)
    expect(made).toEqual({ here: 2, ahead: 1 })
  })

  test('[RES-STORE] of no age are made for each request', async () => {
    const counts = new StoreCounts({ maxAgeMs: 0, now: () => 0 })
    let made = 0
    const count = async () => (made++ === 0 ? one : two)
    expect(await Promise.all([counts.of('a', count), counts.of('a', count)])).toEqual([one, two])
    await counts.renew('a', () => expect.unreachable())
  })

  test('[GEN-2] are each store’s own', async () => {
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => 0 })
    expect(await counts.of('a', async () => one)).toBe(one)
    expect(await counts.of('b', async () => two)).toBe(two)
  })

  test('[ERR-3] a count that fails is not kept, and fails nobody who can count by himself', async () => {
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => 0 })
    const cut = () => Promise.reject(new Error('cut'))
    const whole = async () => two
    const failing = counts.of('a', cut)
    const sharing = counts.of('a', whole)
    await expect(failing).rejects.toThrow('cut')
    expect(await sharing).toBe(two)
    expect(await counts.of('a', cut)).toBe(two)
  })
})
