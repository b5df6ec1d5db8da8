// Calculates the values with a goal from the samples of a run.

import type { Bounded } from '../lib/results.ts'
import { medianOf, medianRatio, type Samples } from '../lib/rounds.ts'
import type { LoopDelay } from '../lib/service-process.ts'
import { FILTERED } from './filtered-pages.ts'
import { KEY_CHECK } from './key-check.ts'
import { baselinesOf } from './page-variants.ts'
import { PARALLEL_WALKS } from './parallel-walks.ts'
import type { StorePolls } from './store-polls.ts'
import { NAMES } from './variants.ts'

/** Goals for pages of 250 and 50 orders, as multiples of what COPY of the same rows costs. */
const PAGE_RATIO_MOST = 1.4
const SMALL_RATIO_MOST = 1.2
/** Goal for a page at the end of the list, as a multiple of one at its start. */
const FLAT_RATIO_MOST = 1.2
/** Goal for the key check, as a multiple of `select 1`. */
const KEY_RATIO_MOST = 2.2
const FILTERED_MS_MOST = 20
const STORE_MS_MOST = 5
const LOOP_DELAY_MS_MOST = 2
const RESIDENT_MIB_MOST = 200
const RESIDENT_AT_REST_MIB_MOST = 140

/** Returns the values with goals for the API's requests. */
export function requestBounds(samples: Samples): Bounded[] {
  const { page, small, first, last } = NAMES
  return [
    ...copyBounds(samples, { name: page, what: 'page of 250', most: PAGE_RATIO_MOST }),
    ...copyBounds(samples, { name: small, what: 'page of 50', most: SMALL_RATIO_MOST }),
    {
      ...{ name: 'Time of a page of 250 orders with items, against COPY of its rows', unit: '' },
      ...{ value: medianRatio(samples, [page, baselinesOf(page).node], 'wallMs'), most: PAGE_RATIO_MOST },
    },
    {
      ...{ name: 'CPU of a page at the end of the list, against one at its start', unit: '' },
      ...{ value: medianRatio(samples, [last, first], 'totalMs'), most: FLAT_RATIO_MOST },
    },
    ...timeBounds(samples),
  ]
}

/**
 * Returns a value for each client that ran COPY: the processor time of the page `name` as a multiple of that of COPY.
 */
function copyBounds(samples: Samples, { name, what, most }: { name: string; what: string; most: number }): Bounded[] {
  return Object.entries(baselinesOf(name))
    .filter(([, baseline]) => samples.has(baseline))
    .map(([client, baseline]) => ({
      name: `CPU of a ${what} orders with items, against COPY of its rows by ${client === 'node' ? 'Node' : 'libpq'}`,
      ...{ value: medianRatio(samples, [name, baseline], 'totalMs'), most, unit: '' },
    }))
}

function timeBounds(samples: Samples): Bounded[] {
  const time = (name: string) => medianOf(samples.get(name) ?? [], 'wallMs')
  const filtered = [...samples.keys()].filter((name) => name.startsWith(FILTERED))
  return [
    {
      ...{ name: 'Time of the slowest first page of 250 orders with updated_since or status' },
      ...{ value: Math.max(...filtered.map(time)), most: FILTERED_MS_MOST, unit: 'ms' },
    },
    { name: 'Time of /store after its first request', value: time(NAMES.store), most: STORE_MS_MOST, unit: 'ms' },
  ]
}

/** Returns the value with a goal for a client that polls the store. */
export function pollBounds({ longestMs }: StorePolls): Bounded[] {
  const name = 'Longest time of /store, polled four times a second for 20 s'
  return [{ name, value: longestMs, most: STORE_MS_MOST, unit: 'ms' }]
}

/** Returns the values with goals for the key check. */
export function keyBounds(samples: Samples): Bounded[] {
  const { name, baseline } = KEY_CHECK
  return (['wallMs', 'totalMs'] as const).map((figure) => ({
    name: `${figure === 'wallMs' ? 'Time' : 'CPU'} of key check and count, against a bare select 1`,
    value: medianRatio(samples, [name, baseline], figure),
    most: KEY_RATIO_MOST,
    unit: '',
  }))
}

/** Returns the values with goals for the memory of the service, in MiB. */
export function memoryBounds({ walking, atRest }: { walking: number; atRest: number }): Bounded[] {
  return [
    {
      ...{ name: `Memory of the service under ${PARALLEL_WALKS} parallel full syncs`, unit: 'MiB' },
      ...{ value: walking, most: RESIDENT_MIB_MOST },
    },
    {
      ...{ name: 'Memory of the service at rest, after one request of each kind and 10 s', unit: 'MiB' },
      ...{ value: atRest, most: RESIDENT_AT_REST_MIB_MOST },
    },
  ]
}

/** Returns the values with goals for the time that a page blocks the event loop, in ms. */
export function loopBounds({ p99, maximum }: LoopDelay): Bounded[] {
  const name = 'Event loop blocked by pages of 250 orders'
  return [
    { name: `${name}, 99th percentile`, value: p99, most: LOOP_DELAY_MS_MOST, unit: 'ms' },
    {
      name: `${name}, longest in 5 s, with garbage collection`,
      value: maximum,
      most: LOOP_DELAY_MS_MOST,
      unit: 'ms',
    },
  ]
}
