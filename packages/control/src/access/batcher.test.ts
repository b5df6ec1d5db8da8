import { TimeLimitPassed } from '@store-export/postgres'
import { expect, test } from 'vitest'
import { Batcher, type BatcherOptions } from './batcher.ts'

interface LoadedBatch {
  readonly values: readonly number[]
  succeed(): void
  fail(): void
}

/** Returns a batcher whose batches the test resolves, each value with its double. */
function manualBatcher(options: Partial<BatcherOptions<number, number>> = {}) {
  const batches: LoadedBatch[] = []
  let idle = 0
  const batcher = new Batcher<number, number>({
    sizeMax: 100,
    batchesMax: 10,
    waitingMax: 100,
    timeoutMs: 10_000,
    onIdle: () => void idle++,
    load: (values) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      const succeed = () => resolve(values.map((n) => 2 * n))
      batches.push({ values, succeed, fail: () => reject(new Error('the batch failed')) })
      return promise
    },
    ...options,
  })
  const values = () => batches.map((batch) => batch.values)
  const until = (count: number) => expect.poll(values, { interval: 1 }).toHaveLength(count)
  return { batcher, batches, values, until, idle: () => idle }
}

test('if calls arrive at once, the batcher loads them in one batch, and each call gets its own result', async () => {
  const { batcher, batches, values, until, idle } = manualBatcher()
  const results = [3, 1, 3].map((n) => batcher.load(n))
  expect(batcher.waitingCount).toBe(3)
  await until(1)
  expect(values()).toEqual([[3, 1, 3]])
  expect([batcher.waitingCount, idle()]).toEqual([0, 0])
  batches[0]?.succeed()
  expect(await Promise.all(results)).toEqual([6, 2, 6])
  expect(idle()).toBe(1)
})

test('if only one batch may run at a time, calls that arrive during a batch share the next batch', async () => {
  const { batcher, batches, values, until } = manualBatcher({ batchesMax: 1 })
  const first = batcher.load(1)
  await until(1)
  const later = [batcher.load(2), batcher.load(3)]
  batches[0]?.succeed()
  expect(await first).toBe(2)
  await until(2)
  expect(values()).toEqual([[1], [2, 3]])
  batches[1]?.succeed()
  expect(await Promise.all(later)).toEqual([4, 6])
})

test('if one batch hangs, a later batch still returns its results', async () => {
  const { batcher, batches, until } = manualBatcher()
  const hanging = batcher.load(1)
  await until(1)
  const later = batcher.load(2)
  await until(2)
  batches[1]?.succeed()
  expect(await later).toBe(4)
  batches[0]?.succeed()
  expect(await hanging).toBe(2)
})

test('if the maximum number of batches is running and each is full, further calls wait until a batch ends', async () => {
  const { batcher, batches, values, until } = manualBatcher({ sizeMax: 2, batchesMax: 2 })
  const results = [1, 2, 3, 4, 5].map((n) => batcher.load(n))
  await until(2)
  expect(values()).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(batcher.waitingCount).toBe(1)
  batches[1]?.succeed()
  await until(3)
  for (const { succeed } of batches) succeed()
  expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10])
})

test('if a batch fails, only the calls in this batch are rejected', async () => {
  const { batcher, batches, until, idle } = manualBatcher()
  const failed = Promise.allSettled([batcher.load(1), batcher.load(2)])
  await until(1)
  batches[0]?.fail()
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(idle()).toBe(1)
  const next = batcher.load(3)
  await until(2)
  batches[1]?.succeed()
  expect(await next).toBe(6)
})

test('if one result of a batch is a pending promise, only the call for that result waits', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const { batcher, idle } = manualBatcher({ load: async () => [promise, 7] })
  const [slow, fast] = [batcher.load(1), batcher.load(2)]
  expect(await fast).toBe(7)
  expect(idle()).toBe(1)
  resolve(5)
  expect(await slow).toBe(5)
})

test('if a call waits longer than the time limit or finds the queue full, the batcher rejects the call and does not load it', async () => {
  const { batcher, batches, values, until } = manualBatcher({ batchesMax: 1, timeoutMs: 20, waitingMax: 2 })
  const hanging = batcher.load(1).catch((error: unknown) => error)
  await until(1)
  const waiting = [2, 3, 4].map((n) => batcher.load(n).catch((error: unknown) => error))
  expect(await waiting[2]).toMatchObject({ code: 'POOL_FULL' })
  for (const error of await Promise.all([hanging, waiting[0], waiting[1]]))
    expect(error).toBeInstanceOf(TimeLimitPassed)
  expect(batcher.waitingCount).toBe(0)
  batches[0]?.succeed()
  const next = batcher.load(5)
  await until(2)
  expect(values()).toEqual([[1], [5]])
  batches[1]?.succeed()
  expect(await next).toBe(10)
})
