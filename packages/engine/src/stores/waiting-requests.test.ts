import { parseConnectionUrl } from '@store-export/postgres'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FailureReason } from '../store-event.ts'
import { ConnectionBudget } from './connection-budget.ts'
import { failureReason } from './failure-reason.ts'
import { ReconnectPause } from './reconnect-pause.ts'
import { StorePool, type Waiter } from './store-pool.ts'
import { WaitingRequests } from './waiting-requests.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const BOUNDS = { storePoolSize: 1, storeQueueMax: 2, storeQueueWaitMs: 1000 }
const ADDRESS = { storeId: 'a', databaseUrl: 'postgres://r@h/d', schemaName: 'public', encryptedPassword: null }

interface WaitState {
  readonly waiter: Waiter
  outcome: 'waits' | 'too late'
  /** Why the request was rejected. */
  reason?: FailureReason
}

/** Returns the queue of a store with `running` slots in use. */
function queueOf({ running }: { readonly running: number }) {
  const server = new ConnectionBudget(4)
  const pool = new StorePool(ADDRESS, 0, {
    bounds: { storeTimeoutMs: 5000, storeSessionSettings: false },
    target: parseConnectionUrl(ADDRESS.databaseUrl),
    budgets: [server, new ConnectionBudget(4)],
    pause: new ReconnectPause(),
  })
  for (let n = 0; n < running; n++) pool.running.add(pool.newSlot())
  const requests = new WaitingRequests(BOUNDS, () => undefined)
  const wait = (limitMs: number) => {
    const waiter = requests.add(pool)
    const state: WaitState = { waiter, outcome: 'waits' }
    requests.slotFor(waiter, performance.now() + limitMs).then(
      () => undefined,
      (error: unknown) => {
        state.outcome = 'too late'
        state.reason = failureReason(error)
      },
    )
    return state
  }
  return { pool, server, requests, wait }
}

describe('[ERR-3] a waiting request', () => {
  test('when a connection slot becomes free, the request that has waited longest gets this slot', () => {
    const { pool, requests, wait } = queueOf({ running: 1 })
    const [first] = [wait(5000), wait(5000)]
    expect(() => wait(5000)).toThrow('is full')
    expect(requests.inTurn()).toEqual([])
    pool.running.clear()
    expect(requests.inTurn()).toEqual([first?.waiter])
    expect(requests.size).toBe(2)
  })

  test('if no request of a store completes, a waiting request for this store is rejected after storeQueueWaitMs', async () => {
    const { requests, wait } = queueOf({ running: 1 })
    const request = wait(5000)
    await vi.advanceTimersByTimeAsync(990)
    expect(request.outcome).toBe('waits')
    await vi.advanceTimersByTimeAsync(20)
    expect(request.outcome).toBe('too late')
    expect(requests.size).toBe(0)
  })

  test.each([
    ['other requests of a store complete', 1],
    ['a store has a free slot, and requests of other stores on the server complete', 0],
  ])('if %s, a request in the queue of the store waits until its own time limit', async (_, running) => {
    const { pool, server, wait } = queueOf({ running })
    const request = wait(4000)
    for (let n = 0; n < 4; n++) {
      await vi.advanceTimersByTimeAsync(900)
      ;(running > 0 ? pool : server).progressAt = performance.now()
    }
    await vi.advanceTimersByTimeAsync(390)
    expect(request.outcome).toBe('waits')
    await vi.advanceTimersByTimeAsync(20)
    expect(request.outcome).toBe('too late')
  })

  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const full = Object.assign(new Error('full'), { code: '53300' })

  test.each<[string, FailureReason, (queue: ReturnType<typeof queueOf>) => void]>([
    ['the store and the server respond', 'no_connection', () => undefined],
    ['the server refused a connection', 'server_unreachable', ({ server }) => server.pause.failed(refused, 1)],
    ['the server was full', 'server_full', ({ server }) => server.pause.failed(full, 1)],
    ['the role had no free connection', 'server_full', ({ pool }) => pool.pause.failed(full, 1)],
    ['the store lost a connection', 'query', ({ pool }) => pool.pause.failed(refused, 1)],
    [
      'the server refused a connection after the store failed',
      'server_unreachable',
      ({ pool, server }) => {
        pool.pause.failed(new Error('hung'), 1)
        server.pause.failed(refused, 2)
      },
    ],
    [
      'the store failed after the server responded again',
      'query',
      ({ pool, server }) => {
        server.pause.failed(refused, 1)
        server.pause.succeeded()
        pool.pause.failed(new Error('hung'), 2)
      },
    ],
  ])('if %s, a request that waited too long fails with the reason %s', async (_, reason, prepare) => {
    const queue = queueOf({ running: 1 })
    prepare(queue)
    const request = queue.wait(500)
    await vi.advanceTimersByTimeAsync(510)
    expect(request.reason).toBe(reason)
  })
})

describe('[ERR-3] the stores of a server that gets too many requests', () => {
  const BOUNDS = { storePoolSize: 2, storeQueueMax: 100, storeQueueWaitMs: 1000 }

  /** Returns two stores on a server whose two connections are in use by the first one. */
  function twoStores() {
    const budgets = [new ConnectionBudget(2), new ConnectionBudget(9)] as const
    const poolOf = (storeId: string) =>
      new StorePool({ ...ADDRESS, storeId }, 0, {
        bounds: { storeTimeoutMs: 5000, storeSessionSettings: false },
        target: parseConnectionUrl(ADDRESS.databaseUrl),
        budgets,
        pause: new ReconnectPause(),
      })
    const [busy, other] = [poolOf('a'), poolOf('b')]
    for (let n = 0; n < 2; n++) busy.running.add(busy.newSlot())
    const reasons: string[] = []
    const requests = new WaitingRequests(BOUNDS, (event) => {
      if (event.event === 'store.request_rejected') reasons.push(event.reason)
    })
    /** Releases 50 connections of the server, one every `intervalMs`. */
    const keepBusy = (intervalMs: number) => {
      for (let count = 0; count < 50; count++) {
        vi.advanceTimersByTime(intervalMs)
        budgets[0].queue.released(performance.now(), 50)
      }
    }
    return { busy, other, requests, reasons, keepBusy }
  }

  test('if the expected wait exceeds 300 ms, a request is rejected as overloaded, unless its store already uses its whole pool', () => {
    const { busy, other, requests, reasons, keepBusy } = twoStores()
    keepBusy(20)
    for (let n = 0; n < 30; n++) requests.add(busy)
    for (let n = 0; n < 8; n++) requests.add(other)
    expect(() => requests.add(other)).toThrow('more requests than it can serve')
    expect(reasons).toEqual(['overloaded'])
  })

  test('if one connection is released per second, a request behind two others per connection is accepted, and the next one is rejected', () => {
    const { other, requests, keepBusy } = twoStores()
    keepBusy(1000)
    for (let n = 0; n <= 4; n++) requests.add(other)
    expect(() => requests.add(other)).toThrow('more requests than it can serve')
  })

  test('the store that uses the fewest connections gets the next free connection, even if its request arrived later', () => {
    const { busy, other, requests } = twoStores()
    const first = requests.add(busy)
    vi.advanceTimersByTime(10)
    const second = requests.add(other)
    const [slot] = busy.running
    if (slot !== undefined) busy.running.delete(slot)
    expect(requests.inTurn()).toEqual([second, first])
  })
})
