import { expect, test } from 'vitest'
import { examineAll } from './examine-all.ts'

test('if doctor finishes the second store before the first, its reports are still in the order of the stores', async () => {
  const running = new Map<number, () => void>()
  const done: number[] = []
  const examine = (item: number) => new Promise<number>((resolve) => running.set(item, () => resolve(item)))
  const finish = async (item: number) => {
    running.get(item)?.()
    running.delete(item)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const reports = examineAll([0, 1, 2, 3], examine, { atOnce: 2, onDone: (report) => done.push(report) })
  expect([...running.keys()]).toEqual([0, 1])
  await finish(1)
  expect([...running.keys()]).toEqual([0, 2])
  await finish(2)
  await finish(3)
  await finish(0)
  expect(await reports).toEqual([0, 1, 2, 3])
  expect(done).toEqual([1, 2, 3, 0])
})
