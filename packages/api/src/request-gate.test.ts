import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { RequestGate } from './request-gate.ts'

describe('a node with free processor time', () => {
  test('if 100 requests arrive at once, all may start', async () => {
    const gate = new RequestGate()
    const entered = await Promise.all(Array.from({ length: 100 }, () => gate.enter()))
    expect(entered).toEqual(Array.from({ length: 100 }, () => true))
  })

  test('if a connection is accepted in each turn of the event loop, a waiting request still starts', async () => {
    const gate = new RequestGate()
    await gate.enter()
    let isEntered = false
    const entered = gate.enter().then(() => {
      isEntered = true
    })
    for (let turns = 0; !isEntered; turns++) {
      expect(turns).toBeLessThan(1_000_000)
      gate.accepted()
      await nextTurn()
    }
    await entered
  })
})

describe('a node that gets more requests than its processor can handle', () => {
  test('a further request is rejected while too many others wait, and accepted after they have started', async () => {
    const gate = new RequestGate()
    const work = Array.from({ length: 300 }, () => gate.enter().then(() => useProcessor(10)))
    await Promise.all(work.slice(0, 100))
    expect(await gate.enter()).toBe(false)
    await Promise.all(work)
    expect(await gate.enter()).toBe(true)
  })
})

function useProcessor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}
