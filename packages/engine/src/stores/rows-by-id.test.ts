import { order } from '@store-export/contract'
import { expect, test } from 'vitest'
import { PageWriter } from '../encode/page-writer.ts'
import { allGone, type RowRequest, RowsById } from './rows-by-id.ts'
import { SlotRefusal } from './slots.ts'

const ADDRESS = { storeId: 'one', databaseUrl: 'postgres://reader@h/one', sealedPassword: null }

function request(id: string, { storeId = 'one', signal }: { storeId?: string; signal?: AbortSignal } = {}): RowRequest {
  const plan = { kind: 'one', resource: order, id } as const
  const lead = `${storeId} ${id}`
  const rest = signal === undefined ? {} : { signal }
  return { address: { ...ADDRESS, storeId }, plan, lead, requestId: null, startedAt: 0, ...rest }
}

const pageOf = ({ lead }: RowRequest) => new PageWriter(order, { rowsMax: 1, bytesMax: 1000 }, lead)
const textOf = (page: PageWriter) => page.out.result().toString()

/** How rows were asked for, and what came. */
async function read(requests: readonly RowRequest[], together: 'come' | 'do not come' | Error) {
  const calls: string[] = []
  const rows = new RowsById({
    alone: async (one) => {
      calls.push(one.lead)
      return pageOf(one)
    },
    together: async (all) => {
      calls.push(all.map(({ lead }) => lead).join(', '))
      if (together instanceof Error) throw together
      return together === 'come' ? all.map(pageOf) : null
    },
  })
  const pages = await Promise.allSettled(requests.map((one) => rows.read(one)))
  return { calls, pages: pages.map((page) => (page.status === 'fulfilled' ? textOf(page.value) : page.reason)) }
}

test('rows of one store and resource come together, each to who asked for it; one by itself comes alone', async () => {
  const requests = [request('a'), request('b'), request('a', { storeId: 'two' }), request('a')]
  const { calls, pages } = await read(requests, 'come')
  expect(calls).toEqual(['one a, one b, one a', 'two a'])
  expect(pages).toEqual(['one a', 'one b', 'two a', 'one a'])
})

test('[ERR-3] rows that do not come together come alone', async () => {
  const { calls, pages } = await read([request('a'), request('b')], 'do not come')
  expect(calls).toEqual(['one a, one b', 'one a', 'one b'])
  expect(pages).toEqual(['one a', 'one b'])
})

test('[ERR-3] a store that has no place for them is not asked once more', async () => {
  const refusal = new SlotRefusal('full', 'the queue is full')
  const { calls, pages } = await read([request('a'), request('b')], refusal)
  expect(calls).toEqual(['one a, one b'])
  expect(pages).toEqual([refusal, refusal])
})

test('who has left gets the reason, and the others their rows', async () => {
  const left = new Error('left')
  const { pages } = await read([request('a', { signal: AbortSignal.abort(left) }), request('b')], 'come')
  expect(pages).toEqual([left, 'one b'])
})

test('all are gone when the last has left, and never while one stays that cannot leave', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const gone = allGone([{ signal: one.signal }, { signal: other.signal }])
  const staying = allGone([{ signal: one.signal }, {}])
  one.abort()
  expect(gone.aborted).toBe(false)
  other.abort()
  expect([gone.aborted, staying.aborted]).toEqual([true, false])
})
