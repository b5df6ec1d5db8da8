import { expect, test } from 'vitest'
import type { TransactionSnapshot } from './open-transactions.ts'
import { TransactionPoller } from './transaction-poller.ts'

/** Returns a read that takes 2 ms, and counts of its calls. */
function countedPolls(open: () => readonly string[] = () => []) {
  const state = { started: 0, running: 0, runningMax: 0 }
  const read = async (): Promise<TransactionSnapshot> => {
    state.started++
    state.runningMax = Math.max(state.runningMax, ++state.running)
    const names = open()
    await new Promise((resolve) => setTimeout(resolve, 2))
    state.running--
    return {
      at: BigInt(state.started),
      open: new Map(names.map((name) => [name, { startedAt: null, preparedAt: null }])),
    }
  }
  return { state, read }
}

test('if 100 requests need the open transactions at once, the poller sends one query for all of them', async () => {
  const { state, read } = countedPolls()
  const poller = new TransactionPoller()
  await Promise.all(Array.from({ length: 100 }, () => poller.poll(read, 0)))
  expect(state.started).toBe(1)
})

test('if the query for open transactions hangs, the next request starts another query', async () => {
  const poller = new TransactionPoller()
  const { read } = countedPolls()
  const never = poller.poll(() => new Promise(() => undefined), 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const startedAt = performance.now()
  expect((await poller.poll(read, 0)).at).toBe(1n)
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(await Promise.race([never, 'hangs'])).toBe('hangs')
})

test('if a transaction has outlasted the wait of a request, the poller becomes idle only after a poll no longer finds this transaction', async () => {
  let open = ['3/7']
  const { read } = countedPolls(() => open)
  const poller = new TransactionPoller()
  const leave = poller.enter()
  poller.timedOut.add('3/7')
  await poller.poll(read, 0)
  expect(poller.timedOut.has('3/7')).toBe(true)
  leave()
  expect(poller.isIdle).toBe(false)
  open = []
  await poller.poll(read, 0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(poller.isIdle).toBe(true)
})
