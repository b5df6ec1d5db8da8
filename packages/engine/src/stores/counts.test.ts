import { describe, expect, test } from 'vitest'
import { StoreCounts } from './counts.ts'

const one = new Map([['orders', 1n]])
const two = new Map([['orders', 2n]])

describe('counts', () => {
  test('[RES-STORE] are kept as long as the setting says, and counted once for all who ask meanwhile', async () => {
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

  test('[GEN-2] are each store’s own', async () => {
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => 0 })
    expect(await counts.of('a', async () => one)).toBe(one)
    expect(await counts.of('b', async () => two)).toBe(two)
  })

  test('[ERR-3] a count that fails is not kept, and fails nobody who can count by himself', async () => {
    const counts = new StoreCounts({ maxAgeMs: 1000, now: () => 0 })
    const failing = counts.of('a', () => Promise.reject(new Error('cut')))
    const sharing = counts.of('a', async () => two)
    await expect(failing).rejects.toThrow('cut')
    expect(await sharing).toBe(two)
    expect(await counts.of('a', async () => one)).toBe(two)
  })
})
