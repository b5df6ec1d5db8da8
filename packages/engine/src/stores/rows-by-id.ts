// Rows asked for by id while a store answers for others: they share its next statement. A row that cannot be read costs
// nobody else theirs: what fails together is read once more, each alone.

import type { PageWriter } from '../encode/page-writer.ts'
import { Gathering } from '../gathering.ts'
import type { OnePlan } from '../query/plan.ts'
import type { ReadRequest } from './run.ts'

/** A request for one row. */
export interface RowRequest extends ReadRequest {
  readonly plan: OnePlan
}

/** The ways in which rows are read. */
export interface RowReading {
  readonly alone: (request: RowRequest) => Promise<PageWriter>
  /** Pages in the order of the requests, which are of one resource at one address. */
  readonly together: (requests: readonly RowRequest[]) => Promise<PageWriter[]>
}

/** Rows of one statement: each may be a large one. */
const GATHERED_MAX = 32

/** Reads rows by id. */
export class RowsById {
  private readonly reading: RowReading
  /** One for each resource and address that is being asked now. */
  private readonly gatherings = new Map<string, Gathering<RowRequest, PageWriter>>()

  constructor(reading: RowReading) {
    this.reading = reading
  }

  /** The row, or a page without one. Rejects as reading alone does. */
  async read(request: RowRequest): Promise<PageWriter> {
    const { address, plan, signal } = request
    const place = JSON.stringify([address.storeId, address.databaseUrl, address.sealedPassword, plan.resource.list])
    const gathering = this.gatherings.get(place) ?? this.begin(place)
    const page = await gathering.ask(request)
    if (signal?.aborted) page.release()
    signal?.throwIfAborted()
    return page
  }

  private begin(place: string): Gathering<RowRequest, PageWriter> {
    const gathering = new Gathering<RowRequest, PageWriter>({
      gatheredMax: GATHERED_MAX,
      ask: (requests) => this.ask(requests),
      onIdle: () => void this.gatherings.delete(place),
    })
    this.gatherings.set(place, gathering)
    return gathering
  }

  private async ask(requests: readonly RowRequest[]): Promise<readonly (PageWriter | Promise<PageWriter>)[]> {
    if (requests.length > 1) {
      try {
        return await this.reading.together(requests)
      } catch {
        // observed where it happened
      }
    }
    return requests.map((request) => this.reading.alone(request))
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
