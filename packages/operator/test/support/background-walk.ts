// Pages through a list in the background, so that a test can cause failures between pages.

import { StoreExportClient } from '../../../client/src/index.ts'
import type { RealNode, RealStore } from './real-service.ts'

/** A list that the client reads in the background. */
export interface BackgroundWalk {
  readonly pages: number
  /** Whether the list has ended, or failed. */
  readonly isDone: boolean
  /** IDs of all rows in their order. Rejects with the client's error. */
  readonly ids: Promise<string[]>
  /** Requests no further page until `resume`. */
  pause(): void
  resume(): void
}

/** Starts to read the orders of a store from a node, with `limit` rows a page. */
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
  // The caller awaits the IDs.
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
