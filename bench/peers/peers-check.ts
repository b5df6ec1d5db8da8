// Before anything is measured: whoever serves the orders serves the same ones, each with as many items and the same
// total. Everything else is compared with what the service answers.

import type { PeerClient } from './peers-client.ts'
import type { Peer, PeerStart, SeenOrder } from './peers-list.ts'

/** One who serves, and how to reach it. */
export interface Asked {
  readonly peer: Peer
  readonly client: PeerClient
}

/** What is compared: pages of `limit`, and the first of their orders by its id. */
export interface Compared {
  readonly start: PeerStart
  readonly limit: number
}

/** Throws an error that names the first difference between the answers of `asked` and of the service. */
export async function checkSame(service: Asked, asked: Asked, pages: readonly Compared[]): Promise<void> {
  for (const { start, limit } of pages) {
    const expected = await pageOf(service, start, limit)
    if (expected.length !== limit) throw new Error(`the service has ${expected.length} orders on a page of ${limit}`)
    const what = `${asked.peer.name}, page of ${limit} behind ${start.offset} orders`
    compare(what, expected, await pageOf(asked, start, limit))
    const [first] = expected
    if (first === undefined) throw new Error(`${what}: empty`)
    compare(`${asked.peer.name}, order ${first.id}`, [first], await rowOf(asked, first.id))
  }
}

async function pageOf({ peer, client }: Asked, start: PeerStart, limit: number): Promise<SeenOrder[]> {
  return peer.seen(await client.read(peer.page(start, limit)))
}

async function rowOf({ peer, client }: Asked, id: string): Promise<SeenOrder[]> {
  return peer.seen(await client.read(peer.row(id)))
}

function compare(what: string, expected: readonly SeenOrder[], found: readonly SeenOrder[]): void {
  if (found.length !== expected.length) throw new Error(`${what}: ${found.length} orders instead of ${expected.length}`)
  for (const [index, order] of expected.entries()) {
    const [wanted, got] = [JSON.stringify(order), JSON.stringify(found[index])]
    if (wanted !== got) throw new Error(`${what}: order ${index + 1} of the answer is ${got} instead of ${wanted}`)
  }
}

/** Throws where someone's answers were, in the middle, less than half as long as the service's: errors, not orders. */
export function checkSizes(
  what: string,
  figures: readonly { readonly name: string; readonly kibibytes: number }[],
): void {
  const [service] = figures
  for (const { name, kibibytes } of figures)
    if (service !== undefined && kibibytes < service.kibibytes / 2)
      throw new Error(`${name}, ${what}: answers of ${kibibytes} KiB, the service's are of ${service.kibibytes} KiB`)
}
