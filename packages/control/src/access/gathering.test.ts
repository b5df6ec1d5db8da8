import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Gathering } from './gathering.ts'

/** A gathering whose questions are noted, and answered, by hand, with the double of each number. */
function byHand({ gatheredMax = 100 } = {}) {
  const asked: { readonly all: readonly number[]; answer(): void; fail(): void }[] = []
  let idle = 0
  const gathering = new Gathering<number, number>({
    gatheredMax,
    ask: (all) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      asked.push({ all, answer: () => resolve(all.map((n) => 2 * n)), fail: () => reject(new Error('no answer')) })
      return promise
    },
    onIdle: () => void idle++,
  })
  return { gathering, asked, idle: () => idle }
}

test('who asks at once shares a question; each gets his own answer', async () => {
  const { gathering, asked, idle } = byHand()
  const answers = [3, 1, 3].map((n) => gathering.ask(n))
  expect(gathering.waitingCount).toBe(3)
  await after(1)
  expect(asked.map(({ all }) => all)).toEqual([[3, 1, 3]])
  expect([gathering.waitingCount, idle()]).toEqual([0, 0])
  asked[0]?.answer()
  expect(await Promise.all(answers)).toEqual([6, 2, 6])
  expect(idle()).toBe(1)
})

test('who asks while a question is under way shares the next, at its answer', async () => {
  const { gathering, asked } = byHand()
  const first = gathering.ask(1)
  await after(0)
  const later = [gathering.ask(2), gathering.ask(3)]
  asked[0]?.answer()
  await first
  await after(0)
  expect(asked.map(({ all }) => all)).toEqual([[1], [2, 3]])
  asked[1]?.answer()
  expect(await Promise.all(later)).toEqual([4, 6])
})

test('a question without an answer holds nobody up', async () => {
  const { gathering, asked } = byHand()
  void gathering.ask(1)
  await after(0)
  const later = gathering.ask(2)
  await after(50)
  expect(asked.map(({ all }) => all)).toEqual([[1], [2]])
  asked[1]?.answer()
  expect(await later).toBe(4)
})

test('no question is for more than it may be', async () => {
  const { gathering, asked } = byHand({ gatheredMax: 2 })
  const answers = [1, 2, 3, 4, 5].map((n) => gathering.ask(n))
  await after(50)
  expect(asked.map(({ all }) => all)).toEqual([[1, 2], [3, 4], [5]])
  for (const { answer } of asked) answer()
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10])
})

test('a question that fails fails for those who share it, and for nobody after them', async () => {
  const { gathering, asked, idle } = byHand()
  const failed = Promise.allSettled([gathering.ask(1), gathering.ask(2)])
  await after(1)
  asked[0]?.fail()
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(idle()).toBe(1)
  const next = gathering.ask(3)
  await after(1)
  asked[1]?.answer()
  expect(await next).toBe(6)
})

test('who comes while there is no room yet still joins; without room they all fail', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked: number[][] = []
  const rooms = [() => promise, () => Promise.reject(new Error('full'))]
  const gathering = new Gathering<number, number>({
    gatheredMax: 100,
    ready: () => rooms.shift()?.() ?? Promise.resolve(),
    ask: async (all) => {
      asked.push([...all])
      return all
    },
  })
  const answers = [gathering.ask(1)]
  await after(20)
  answers.push(gathering.ask(2))
  resolve()
  expect(await Promise.all(answers)).toEqual([1, 2])
  expect(asked).toEqual([[1, 2]])
  await expect(gathering.ask(3)).rejects.toThrow('full')
  expect(gathering.waitingCount).toBe(0)
})

test('where there is no room in time, who came later than the first has a wait of his own', async () => {
  const refusal = new Error('too late')
  const waits = [after(30).then(() => Promise.reject(refusal))]
  const gathering = new Gathering<number, number>({
    gatheredMax: 100,
    ready: () => waits.shift() ?? Promise.resolve(),
    ask: async (all) => all,
  })
  const first = gathering.ask(1)
  const refused = expect(first).rejects.toBe(refusal)
  await after(10)
  const later = gathering.ask(2)
  await refused
  expect(await later).toBe(2)
})
