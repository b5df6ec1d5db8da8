// Checks before the measurement, with some pages and single orders, that each server returns the same as the service:
// the same IDs, totals, and numbers of items. Checks afterward that responses were long enough to contain orders.

import type { PeerClient } from './peers-client.ts'
import type { Peer, PeerStart, SeenOrder } from './peers-list.ts'

/** A server to compare, and a client for it. */
export interface ComparedServer {
  readonly peer: Peer
  readonly client: PeerClient
}

/** A comparison: the page of `limit` orders at `start`, and the first order of this page by its ID. */
export interface ComparedPage {
  readonly start: PeerStart
  readonly limit: number
}

/** Rejects with an error that names the first difference from the service. */
export async function checkSame(
  service: ComparedServer,
  server: ComparedServer,
  pages: readonly ComparedPage[],
): Promise<void> {
  for (const { start, limit } of pages) {
    const expected = await pageOf(service, start, limit)
    if (expected.length !== limit) throw new Error(`the service has ${expected.length} orders on a page of ${limit}`)
    const what = `${server.peer.name}, page of ${limit} after ${start.offset} orders`
    compare(what, expected, await pageOf(server, start, limit))
    const [first] = expected
    if (first === undefined) throw new Error(`${what}: empty`)
    compare(`${server.peer.name}, order ${first.id}`, [first], await rowOf(server, first.id))
  }
}

async function pageOf({ peer, client }: ComparedServer, start: PeerStart, limit: number): Promise<SeenOrder[]> {
  return peer.seen(await client.read(peer.page(start, limit)))
}

async function rowOf({ peer, client }: ComparedServer, id: string): Promise<SeenOrder[]> {
  return peer.seen(await client.read(peer.row(id)))
}

function compare(what: string, expected: readonly SeenOrder[], found: readonly SeenOrder[]): void {
  if (found.length !== expected.length) throw new Error(`${what}: ${found.length} orders instead of ${expected.length}`)
  for (const [index, order] of expected.entries()) {
    const [wanted, got] = [JSON.stringify(order), JSON.stringify(found[index])]
    if (wanted !== got) throw new Error(`${what}: order ${index + 1} of the response is ${got} instead of ${wanted}`)
  }
}

/**
 * Throws if a server's average response during the measurement was less than half as long as the service's. Such
 * responses are errors, not orders. The first of `figures` is the service's.
 */
export function checkSizes(
  what: string,
  figures: readonly { readonly name: string; readonly kibibytes: number }[],
): void {
  const [service] = figures
  for (const { name, kibibytes } of figures)
    if (service !== undefined && kibibytes < service.kibibytes / 2)
      throw new Error(`${name}, ${what}: responses of ${kibibytes} KiB instead of ${service.kibibytes} KiB`)
}
