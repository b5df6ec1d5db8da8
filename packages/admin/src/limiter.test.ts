import { expect, test } from 'vitest'
import { Limiter } from './limiter.ts'

/** Starts work that ends when the test calls `end`. */
function startWork(limiter: Limiter) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { isRunning: false }
  const done = limiter.run(async () => {
    state.isRunning = true
    await promise
    state.isRunning = false
  })
  return { state, done, end: resolve }
}

test('while the maximum number of operations is running, further operations wait; when an operation ends, the longest-waiting one starts', async () => {
  const limiter = new Limiter({ atOnce: 1, waitingMax: 2 })
  const [first, second, third] = [startWork(limiter), startWork(limiter), startWork(limiter)]
  expect([first, second, third].map(({ state }) => state.isRunning)).toEqual([true, false, false])
  first.end()
  await first.done
  await expect.poll(() => second.state.isRunning).toBe(true)
  expect(third.state.isRunning).toBe(false)
  second.end()
  third.end()
  await Promise.all([second.done, third.done])
})

test('if the maximum number of operations is already waiting, the limiter rejects the next operation with 503 and Retry-After', async () => {
  const limiter = new Limiter({ atOnce: 1, waitingMax: 1 })
  const [running, waiting] = [startWork(limiter), startWork(limiter)]
  await expect(limiter.run(async () => undefined)).rejects.toMatchObject({
    problem: 'too-many-operations',
    status: 503,
    headers: { 'retry-after': '5' },
  })
  running.end()
  waiting.end()
  await Promise.all([running.done, waiting.done])
})

test('if an operation fails, the limiter still runs the next operation', async () => {
  const limiter = new Limiter({ atOnce: 1, waitingMax: 1 })
  const failed = limiter.run(() => Promise.reject(new Error('failed')))
  const next = limiter.run(async () => 'done')
  await expect(failed).rejects.toThrow('failed')
  expect(await next).toBe('done')
})

test('if the lines of batches wait, they refuse no single operation, and single operations and lines get permits in turn', async () => {
  const limiter = new Limiter({ atOnce: 1, waitingMax: 2 })
  const batches = limiter.forBatches()
  const order: string[] = []
  const record = (name: string) => async () => void order.push(name)
  const running = startWork(limiter)
  const lines = ['line 1', 'line 2', 'line 3'].map((name) => batches.run(record(name)))
  const singles = ['single 1', 'single 2'].map((name) => limiter.run(record(name)))
  await expect(limiter.run(record('single 3'))).rejects.toMatchObject({ problem: 'too-many-operations' })
  running.end()
  await Promise.all([...lines, ...singles])
  expect(order).toEqual(['single 1', 'line 1', 'single 2', 'line 2', 'line 3'])
})
