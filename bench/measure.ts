// Everything that is measured on one server, in the order in which it is.

import { createApiClient } from './api-client.ts'
import { type Child, startChild } from './child.ts'
import { type Dataset, makeDataset } from './dataset.ts'
import { KEY_CHECK, keyCheckVariants } from './key-check.ts'
import type { BenchOptions } from './options.ts'
import { PARALLEL_WALKS, type Walked, walkInParallel } from './parallel-walks.ts'
import { peakResidentMebibytes } from './processor-time.ts'
import { type BenchResult, type Bounded, describeRun, type Figure } from './results.ts'
import { medianOf, medianRatio, runRounds, type Samples, type Variant } from './rounds.ts'
import type { BenchServer } from './servers.ts'
import { apiVariants, NAMES } from './variants.ts'

/** What pages of 250 and of 50 orders may cost, in COPYs of their rows. */
const PAGE_RATIO_MOST = 1.4
const SMALL_RATIO_MOST = 1.2
const FLAT_RATIO_MOST = 1.2
const KEY_RATIO_MOST = 2.2
const RESIDENT_MOST = 200

/** Measures on a server that is empty. `say` hears what is going on. */
export async function measureServer(
  server: BenchServer,
  options: BenchOptions,
  say: (what: string) => void,
): Promise<BenchResult> {
  const { orders, rounds } = options
  say(`making ${orders} orders`)
  const dataset = await makeDataset(server, orders)
  try {
    const api = await measureApi({ server, dataset, options, say })
    const key = await measureKeyCheck({ server, dataset, options, say })
    const memory = await measureMemory({ server, dataset, options, say })
    return {
      ...describeRun('bench', { server: server.kind, version: dataset.version, orders, rounds }),
      rows: dataset.rows,
      bounded: [...pageBounds(api.samples), ...keyBounds(key.samples), residentBound(memory.resident)],
      figures: [...figuresOf(api), ...figuresOf(key)],
      parallel: memory.walked,
    }
  } finally {
    await dataset.sql.end()
  }
}

interface Measuring {
  readonly server: BenchServer
  readonly dataset: Dataset
  readonly options: BenchOptions
  readonly say: (what: string) => void
}

interface Measured {
  readonly variants: readonly Variant[]
  readonly samples: Samples
}

async function measureApi({ server, dataset, options, say }: Measuring): Promise<Measured> {
  const { service, client } = await startService(dataset)
  const copy = startChild('copy-process.ts')
  try {
    await copy.call('start', dataset.readerUrl)
    say('walking the lists')
    const variants = await apiVariants({ client, sql: dataset.sql, service, copy })
    say('measuring requests')
    const samples = await runRounds(variants, { rounds: options.rounds, serverProcessId: server.processId })
    return { variants, samples }
  } finally {
    client.close()
    await Promise.all([service.close(), copy.close()])
  }
}

async function measureKeyCheck({ server, dataset, options, say }: Measuring): Promise<Measured> {
  say('measuring the check of keys')
  const child = startChild('key-check-process.ts')
  try {
    await child.call('start', { controlUrl: dataset.controlUrl, key: dataset.key })
    const variants = keyCheckVariants(child)
    return {
      variants,
      samples: await runRounds(variants, { rounds: options.rounds, serverProcessId: server.processId }),
    }
  } finally {
    await child.close()
  }
}

/** In a fresh process, whose memory nothing else has touched. */
async function measureMemory({ dataset, options, say }: Measuring): Promise<{ resident: number; walked: Walked }> {
  say(`${PARALLEL_WALKS} walks at once`)
  const { service, client } = await startService(dataset)
  try {
    const walked = await walkInParallel(client, options.parallelSeconds)
    return { resident: await peakResidentMebibytes(service.processId), walked }
  } finally {
    client.close()
    await service.close()
  }
}

async function startService({ controlUrl, secret, key }: Dataset) {
  const service: Child = startChild('service-process.ts')
  const url = String(await service.call('start', { controlUrl, secret }))
  return { service, client: createApiClient(url, key) }
}

function pageBounds(samples: Samples): Bounded[] {
  const { page, small, first, last } = NAMES
  const ratio = (names: readonly [string, string]) => medianRatio(samples, names, 'totalMs')
  return [
    {
      ...{ name: 'CPU of a page of 250 orders with items, against COPY of its rows', unit: '' },
      ...{ value: ratio([page, `${page}: COPY`]), most: PAGE_RATIO_MOST },
    },
    {
      ...{ name: 'Time of it, against that of COPY', unit: '' },
      ...{ value: medianRatio(samples, [page, `${page}: COPY`], 'wallMs'), most: PAGE_RATIO_MOST },
    },
    {
      ...{ name: 'CPU of a page of 50 orders with items, against COPY of its rows', unit: '' },
      ...{ value: ratio([small, `${small}: COPY`]), most: SMALL_RATIO_MOST },
    },
    {
      ...{ name: 'CPU of a page at the end of the walk, against one at its beginning', unit: '' },
      ...{ value: ratio([last, first]), most: FLAT_RATIO_MOST },
    },
  ]
}

function keyBounds(samples: Samples): Bounded[] {
  const { name, baseline } = KEY_CHECK
  return (['wallMs', 'totalMs'] as const).map((figure) => ({
    name: `${figure === 'wallMs' ? 'Time' : 'CPU'} of key check and count, against a bare select 1`,
    value: medianRatio(samples, [name, baseline], figure),
    most: KEY_RATIO_MOST,
    unit: '',
  }))
}

function residentBound(value: number): Bounded {
  return {
    name: `Memory of the service under ${PARALLEL_WALKS} parallel walks`,
    value,
    most: RESIDENT_MOST,
    unit: 'MiB',
  }
}

function figuresOf({ variants, samples }: Measured): Figure[] {
  return variants.map(({ name, baseline }) => {
    const own = samples.get(name) ?? []
    const figure = (of: Parameters<typeof medianOf>[1]) => medianOf(own, of)
    return {
      name,
      processMs: figure('processMs'),
      databaseMs: figure('databaseMs'),
      totalMs: figure('totalMs'),
      wallMs: figure('wallMs'),
      kibibytes: figure('bytes') / 1024,
      ratio: baseline === undefined ? null : medianRatio(samples, [name, baseline], 'totalMs'),
    }
  })
}
