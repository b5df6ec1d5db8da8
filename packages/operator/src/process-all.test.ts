import { expect, test } from 'vitest'
import { processAll } from './process-all.ts'

test('if the second item is finished before the first, the results are still in the order of the items', async () => {
  const running = new Map<number, () => void>()
  const done: number[] = []
  const work = (item: number) => new Promise<number>((resolve) => running.set(item, () => resolve(item)))
  const finish = async (item: number) => {
    running.get(item)?.()
    running.delete(item)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const results = processAll([0, 1, 2, 3], work, { atOnce: 2, onDone: (result) => done.push(result) })
  expect([...running.keys()]).toEqual([0, 1])
  await finish(1)
  expect([...running.keys()]).toEqual([0, 2])
  await finish(2)
  await finish(3)
  await finish(0)
  expect(await results).toEqual([0, 1, 2, 3])
  expect(done).toEqual([1, 2, 3, 0])
})
