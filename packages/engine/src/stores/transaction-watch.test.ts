import { expect, test } from 'vitest'
import type { Look } from './open-transactions.ts'
import { TransactionWatch } from './transaction-watch.ts'

/** Looks that take a moment, counted. */
function counted(open: () => readonly string[] = () => []) {
  const state = { begun: 0, atOnce: 0, most: 0 }
  const look = async (): Promise<Look> => {
    state.begun++
    state.most = Math.max(state.most, ++state.atOnce)
    const seen = open()
    await new Promise((resolve) => setTimeout(resolve, 2))
    state.atOnce--
    return { at: BigInt(state.begun), open: new Map(seen.map((name) => [name, { startedAt: null, preparedAt: null }])) }
  }
  return { state, look }
}

test('however many ask, there is one look at a time, and none gets one that began before it asked', async () => {
  const { state, look } = counted()
  const watch = new TransactionWatch()
  const first = watch.look(look)
  const others = Array.from({ length: 100 }, () => watch.look(look))
  expect((await first).at).toBe(1n)
  expect(new Set(await Promise.all(others.map(async (each) => (await each).at)))).toEqual(new Set([2n]))
  expect(state).toEqual({ begun: 2, atOnce: 0, most: 1 })
})

test('however many wait, they share what is looked', async () => {
  const { state, look } = counted()
  const watch = new TransactionWatch()
  await Promise.all(Array.from({ length: 100 }, () => watch.poll(look, 0)))
  expect(state.begun).toBe(1)
})

test('a look that fails is tried once more, by all who shared it together', async () => {
  const watch = new TransactionWatch()
  let begun = 0
  const failing = () => {
    begun++
    return Promise.reject(new Error('cut'))
  }
  const looking = Array.from({ length: 100 }, () => watch.look(failing))
  for (const each of looking) await expect(each).rejects.toThrow('cut')
  expect(begun).toBeLessThanOrEqual(4)
  const { look } = counted()
  expect((await watch.look(look)).at).toBe(1n)
})

test('a look that hangs holds up nobody for longer than a moment', async () => {
  const watch = new TransactionWatch()
  const { look } = counted()
  const never = watch.look(() => new Promise(() => undefined))
  const startedAt = performance.now()
  expect((await watch.look(look)).at).toBe(1n)
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(await Promise.race([never, 'hangs'])).toBe('hangs')
})

test('what outlasted a wait is forgotten when it has ended, so that nothing is kept for a store that is quiet', async () => {
  let open = ['3/7']
  const { look } = counted(() => open)
  const watch = new TransactionWatch()
  const leave = watch.enter()
  watch.outlasted.add('3/7')
  await watch.look(look)
  expect(watch.outlasted.has('3/7')).toBe(true)
  leave()
  expect(watch.isIdle).toBe(false)
  open = []
  await watch.look(look)
  await new Promise((resolve) => setImmediate(resolve))
  expect(watch.isIdle).toBe(true)
})
