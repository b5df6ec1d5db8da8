// Rows asked for by id while a store answers for others: they share its next statement. A row that cannot be read, is slow
// or is huge costs nobody else theirs: what does not come together, and soon, is read once more, each alone.

import type { PageWriter } from '../encode/page-writer.ts'
import { Gatherings } from '../gathering.ts'
import type { OnePlan } from '../query/plan.ts'
import type { ReadRequest } from './run.ts'

/** A request for one row. */
export interface RowRequest extends ReadRequest {
  readonly plan: OnePlan
}

/** The ways in which rows are read. */
export interface RowReading {
  readonly alone: (request: RowRequest) => Promise<PageWriter>
  /**
   * Pages in the order of the requests, which are of one resource at one address; null where they could not be read
   * together, and each may be alone.
   */
  readonly together: (requests: readonly RowRequest[]) => Promise<PageWriter[] | null>
}

/** Rows of one statement. */
const GATHERED_MAX = 32

/** Reads rows by id. */
export class RowsById {
  /** One for each resource and address that is being asked now. */
  private readonly gatherings: Gatherings<RowRequest, PageWriter>

  constructor({ alone, together }: RowReading) {
    this.gatherings = new Gatherings(() => ({
      gatheredMax: GATHERED_MAX,
      ask: async (requests) => {
        const [only, ...others] = requests
        if (only !== undefined && others.length === 0) return [await alone(only)]
        return (await together(requests)) ?? requests.map(alone)
      },
    }))
  }

  /** The row, or a page without one. Rejects as reading alone does. */
  async read(request: RowRequest): Promise<PageWriter> {
    const { address, plan, signal } = request
    const { storeId, databaseUrl, sealedPassword } = address
    const place = JSON.stringify([storeId, databaseUrl, sealedPassword, plan.resource.list])
    const page = await this.gatherings.ask(place, request)
    if (signal?.aborted) page.release()
    signal?.throwIfAborted()
    return page
  }
}

/** Aborted when nobody waits any more. */
export function allGone(requests: readonly Pick<ReadRequest, 'signal'>[]): AbortSignal {
  const gone = new AbortController()
  let waiting = requests.length
  const leave = (signal: AbortSignal) => {
    if (--waiting === 0) gone.abort(signal.reason)
  }
  for (const { signal } of requests) {
    if (signal?.aborted) leave(signal)
    else signal?.addEventListener('abort', () => leave(signal), { once: true })
  }
  return gone.signal
}
