import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SlotRefusal, Slots } from './slots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const BOUNDS = { places: 1, waitingMax: 2, waitMs: 1000 }

/** What became of each wait so far. */
function followed(slots: Slots, limitMs?: number): { outcome: string } {
  const state = { outcome: 'waits' }
  slots.take(limitMs === undefined ? undefined : performance.now() + limitMs).then(
    () => {
      state.outcome = 'has a place'
    },
    (error: unknown) => {
      state.outcome = error instanceof SlotRefusal ? error.reason : 'failed'
    },
  )
  return state
}

describe('places', () => {
  test('go to who waits longest; a queue that is full takes nobody', async () => {
    const slots = new Slots(BOUNDS)
    const all = [1, 2, 3, 4].map(() => followed(slots))
    await vi.advanceTimersByTimeAsync(10)
    expect(all.map(({ outcome }) => outcome)).toEqual(['has a place', 'waits', 'waits', 'full'])
    slots.giveBack()
    await vi.advanceTimersByTimeAsync(0)
    expect(all.map(({ outcome }) => outcome)).toEqual(['has a place', 'has a place', 'waits', 'full'])
    expect(slots.busy).toBe(1)
    expect(slots.waitingCount).toBe(1)
  })

  test('[ERR-3] are waited for until the limit while the queue moves', async () => {
    const slots = new Slots({ ...BOUNDS, waitingMax: 10 })
    const all = Array.from({ length: 6 }, () => followed(slots, 4000))
    for (let i = 0; i < 4; i++) {
      await vi.advanceTimersByTimeAsync(900)
      slots.giveBack()
    }
    await vi.advanceTimersByTimeAsync(390)
    expect(all.slice(0, 5).every(({ outcome }) => outcome === 'has a place')).toBe(true)
    expect(all[5]?.outcome).toBe('waits')
    await vi.advanceTimersByTimeAsync(20)
    expect(all[5]?.outcome).toBe('too late')
    expect(slots.waitingCount).toBe(0)
  })

  test('[ERR-3] are waited for shortly when the queue stands still', async () => {
    const slots = new Slots(BOUNDS)
    const [, second, third] = [followed(slots, 5000), followed(slots, 5000), followed(slots, 5000)]
    await vi.advanceTimersByTimeAsync(500)
    slots.giveBack()
    await vi.advanceTimersByTimeAsync(990)
    expect([second.outcome, third.outcome]).toEqual(['has a place', 'waits'])
    await vi.advanceTimersByTimeAsync(20)
    expect(third.outcome).toBe('too late')
  })

  test('progress elsewhere counts', async () => {
    const elsewhere = { at: 0 }
    const slots = new Slots({ ...BOUNDS, progressElsewhere: () => elsewhere.at })
    const [, second] = [followed(slots, 5000), followed(slots, 5000)]
    await vi.advanceTimersByTimeAsync(900)
    elsewhere.at = performance.now()
    await vi.advanceTimersByTimeAsync(900)
    expect(second.outcome).toBe('waits')
    await vi.advanceTimersByTimeAsync(200)
    expect(second.outcome).toBe('too late')
  })
})
