// A walk by our client whose pages a test follows, so that faults happen while it is under way.

import { StoreExportClient } from '../../../client/src/index.ts'
import type { RealNode, RealStore } from './real-service.ts'

/** A walk that goes on by itself. */
export interface BackgroundWalk {
  /** Pages that have come so far. */
  readonly pages: number
  /** Whether all pages have come, or an error. */
  readonly isDone: boolean
  /** Ids of all rows in the order they came in; rejects where the client gave up. */
  readonly ids: Promise<string[]>
  /** No page is asked for behind the one under way, until `goOn`. */
  pause(): void
  resume(): void
}

/** Starts to walk the store's orders through a node, in pages of `limit` rows. */
export function startOrderWalk({ url }: RealNode, { key }: RealStore, limit: number): BackgroundWalk {
  const client = new StoreExportClient({ url, key })
  let [pages, isOver] = [0, false]
  let held: PromiseWithResolvers<void> | null = null
  const walk = async () => {
    const ids: string[] = []
    for await (const { rows } of client.orders.list({ limit }).pages()) {
      pages += 1
      ids.push(...rows.map(({ id }) => id))
      await held?.promise
    }
    return ids
  }
  const ids = walk().finally(() => {
    isOver = true
  })
  // told where it is waited for
  ids.catch(() => undefined)
  return {
    get pages() {
      return pages
    },
    get isDone() {
      return isOver
    },
    ids,
    pause: () => {
      held ??= Promise.withResolvers()
    },
    resume: () => {
      held?.resolve()
      held = null
    },
  }
}
