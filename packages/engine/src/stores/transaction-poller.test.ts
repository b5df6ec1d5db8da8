import { expect, test } from 'vitest'
import type { TransactionSnapshot } from './open-transactions.ts'
import { TransactionPoller } from './transaction-poller.ts'

/** Looks that take a moment, counted. */
function counted(open: () => readonly string[] = () => []) {
  const state = { begun: 0, atOnce: 0, most: 0 }
  const look = async (): Promise<TransactionSnapshot> => {
    state.begun++
    state.most = Math.max(state.most, ++state.atOnce)
    const seen = open()
    await new Promise((resolve) => setTimeout(resolve, 2))
    state.atOnce--
    return { at: BigInt(state.begun), open: new Map(seen.map((name) => [name, { startedAt: null, preparedAt: null }])) }
  }
  return { state, look }
}

test('however many wait, they share what is looked', async () => {
  const { state, look } = counted()
  const watch = new TransactionPoller()
  await Promise.all(Array.from({ length: 100 }, () => watch.poll(look, 0)))
  expect(state.begun).toBe(1)
})

test('begins the next poll if one hangs', async () => {
  const watch = new TransactionPoller()
  const { look } = counted()
  const never = watch.poll(() => new Promise(() => undefined), 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const startedAt = performance.now()
  expect((await watch.poll(look, 0)).at).toBe(1n)
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(await Promise.race([never, 'hangs'])).toBe('hangs')
})

test('what outlasted a wait is forgotten when it has ended, so that nothing is kept for a store that is quiet', async () => {
  let open = ['3/7']
  const { look } = counted(() => open)
  const watch = new TransactionPoller()
  const leave = watch.enter()
  watch.timedOut.add('3/7')
  await watch.poll(look, 0)
  expect(watch.timedOut.has('3/7')).toBe(true)
  leave()
  expect(watch.isIdle).toBe(false)
  open = []
  await watch.poll(look, 0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(watch.isIdle).toBe(true)
})
