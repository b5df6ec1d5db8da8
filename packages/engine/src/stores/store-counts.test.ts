import { describe, expect, test } from 'vitest'
import { type Counts, StoreCounts } from './store-counts.ts'

const one = new Map([['orders', 1n]])
const two = new Map([['orders', 2n]])
const three = new Map([['orders', 3n]])

/**
 * Creates counts with a maximum age of a second, on a clock that the test sets. The first request counts `one`, later
 * requests `three`, and a renewal `two`.
 */
function startCounts() {
  const clock = { ms: 0 }
  const counts = new StoreCounts({ maxAgeMs: 1000, now: () => clock.ms })
  const counted = { requests: 0, renewals: 0 }
  const renewal = Promise.withResolvers<Counts>()
  const connected = Promise.withResolvers<void>()
  const request = () => counts.of('a', async () => (counted.requests++ === 0 ? one : three))
  const renew = () =>
    counts.renew('a', async (counting) => {
      await connected.promise
      await counting(() => {
        counted.renewals++
        return renewal.promise
      })
    })
  return { clock, counted, renewal, connected, request, renew }
}

/** Creates counts like `startCounts`, with a count at 0 ms and a renewal that has run since 500 ms. */
async function startRenewal() {
  const all = startCounts()
  all.connected.resolve()
  await all.request()
  all.clock.ms = 500
  const renewing = all.renew()
  await all.connected.promise
  return { ...all, renewing }
}

describe('row counts of a store', () => {
  test('[RES-STORE] row counts are cached until their maximum age, and concurrent requests share one count', async () => {
    let now = 0
    let counted = 0
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => now })
    const count = async () => (counted++ === 0 ? one : two)
    expect(await Promise.all([counts.of('a', count), counts.of('a', count)])).toEqual([one, one])
    now = 999
    expect(await counts.of('a', count)).toBe(one)
    now = 1000
    expect(await counts.of('a', count)).toBe(two)
    expect(counted).toBe(2)
  })

  test('[RES-STORE] after half of their maximum age, row counts are renewed once in the background, and no request waits for the renewal', async () => {
    const { clock, counted, renewal, connected, request, renew } = startCounts()
    connected.resolve()
    await renew()
    await request()
    clock.ms = 499
    await renew()
    expect(counted).toEqual({ requests: 1, renewals: 0 })
    clock.ms = 500
    const renewing = [renew(), renew()]
    await connected.promise
    clock.ms = 600
    expect(await request()).toBe(one)
    renewing.push(renew())
    renewal.resolve(two)
    await Promise.all(renewing)
    expect(await request()).toBe(two)
    expect(counted).toEqual({ requests: 1, renewals: 1 })
  })

  test('[RES-STORE] if row counts are renewed, their maximum age runs from the start of the renewal, not from its end', async () => {
    const { clock, counted, renewal, request, renewing } = await startRenewal()
    clock.ms = 900
    renewal.resolve(two)
    await renewing
    clock.ms = 1499
    expect(await request()).toBe(two)
    clock.ms = 1500
    expect(await request()).toBe(three)
    expect(counted.requests).toBe(2)
  })

  test('[RES-STORE] if cached row counts are too old, a request waits for a running count only if that count began within the maximum age', async () => {
    const { clock, counted, renewal, request, renewing } = await startRenewal()
    clock.ms = 1000
    const waiting = request()
    clock.ms = 1500
    expect(await request()).toBe(three)
    renewal.resolve(two)
    expect(await waiting).toBe(two)
    await renewing
    // The count that ended last had started first.
    expect(await request()).toBe(three)
    expect(counted).toEqual({ requests: 2, renewals: 1 })
  })

  test('[RES-STORE] if cached row counts expire while their renewal waits for a connection, the next request counts the rows, and the renewal is skipped', async () => {
    const { clock, counted, connected, request, renew } = startCounts()
    await request()
    clock.ms = 500
    const renewing = renew()
    clock.ms = 1000
    expect(await request()).toBe(three)
    connected.resolve()
    await renewing
    expect(counted).toEqual({ requests: 2, renewals: 0 })
  })

  test('[ERR-3] if a background count of rows fails, a request that waits for this count counts the rows itself', async () => {
    const { clock, counted, renewal, request, renewing } = await startRenewal()
    clock.ms = 1000
    const waiting = request()
    renewal.reject(new Error('cut'))
    await renewing
    expect(await waiting).toBe(three)
    expect(counted).toEqual({ requests: 2, renewals: 1 })
  })

  test('[RES-STORE] if the maximum age of row counts is 0, each request counts the rows again', async () => {
    const counts = new StoreCounts({ maxAgeMs: 0, now: () => 0 })
    let counted = 0
    const count = async () => (counted++ === 0 ? one : two)
    expect(await Promise.all([counts.of('a', count), counts.of('a', count)])).toEqual([one, two])
    await counts.renew('a', () => expect.unreachable())
  })

  test('[GEN-2] if the rows of two stores are counted, each store has its own cached counts', async () => {
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => 0 })
    expect(await counts.of('a', async () => one)).toBe(one)
    expect(await counts.of('b', async () => two)).toBe(two)
  })

  test('if the counts of more than 10,000 stores are cached, the counts that were cached longest ago are dropped', async () => {
    let now = 0
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => now })
    const count = (n: number, result: Counts) => counts.of(`store ${n}`, async () => result)
    await count(0, one)
    now = 1000
    for (let n = 1; n < 10_000; n++) await count(n, one)
    // This count replaces an older one of its store, so the counts of store 1 are the oldest.
    await count(0, two)
    await count(10_000, one)
    expect([await count(0, three), await count(2, three), await count(1, three)]).toEqual([two, one, three])
  })

  test('[ERR-3] if a count of rows fails, its error is not cached, and a waiting request counts the rows itself', async () => {
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
