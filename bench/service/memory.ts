// Measures the memory of the service's process under many full syncs and at rest, each in a new process.

import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@store-export/contract'
import { pagePath } from '../lib/api-client.ts'
import type { Dataset } from '../lib/dataset.ts'
import { peakResidentMebibytes, residentMebibytes } from '../lib/processor-time.ts'
import type { FilteredPage } from './filtered-pages.ts'
import { type Walked, walkInParallel } from './parallel-walks.ts'
import { runService } from './running-service.ts'

const REST_MILLISECONDS = 10_000

/** Returns the maximum resident memory during many full syncs, in MiB, and the result of the syncs. */
export async function measureWalking(dataset: Dataset, seconds: number): Promise<{ resident: number; walked: Walked }> {
  await using running = await runService(dataset)
  const walked = await walkInParallel(running.client, seconds)
  return { resident: await peakResidentMebibytes(running.service.processId), walked }
}

/** Returns the resident memory ten seconds after one request of each kind, in MiB. */
export async function measureAtRest(dataset: Dataset, filtered: readonly FilteredPage[]): Promise<number> {
  await using running = await runService(dataset)
  const { client, service } = running
  const [first] = await dataset.sql<{ id: string }[]>`select id::text from orders order by created_at, id limit 1`
  const lists = ['orders', 'products', 'customers']
  const sizes = [LIMITS.pageRowsMax, LIMITS.pageRowsDefault]
  const paths = [
    ...['/store', `/orders/${first?.id}`],
    ...lists.flatMap((list) => sizes.map((limit) => pagePath(list, limit, null))),
    ...filtered.map(({ path }) => path),
  ]
  for (const path of paths) await client.get(path)
  for (const encoding of ['gzip', 'br', 'zstd'])
    await client.get(pagePath('orders', LIMITS.pageRowsMax, null), { 'accept-encoding': encoding })
  await sleep(REST_MILLISECONDS)
  return residentMebibytes(service.processId)
}
