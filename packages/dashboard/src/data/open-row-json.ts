// Streams one row as a JSON file, with the same bytes as the API.

import type { Resource } from '@store-export/contract'
import type { Plan } from '@store-export/engine'
import type { StoreSource } from './store-rows.ts'

const CHUNK_BYTES = 65_536

/**
 * Returns the JSON of the row with this ID; null if no row has it. The stream holds memory of the engine until it ends
 * or is canceled. Rejects with `StoreDatabaseError` if the store can't be read.
 */
export async function openRowJson(
  { reader, address, requestId, startedAt }: StoreSource,
  { resource, id }: { readonly resource: Resource; readonly id: string },
): Promise<ReadableStream<Uint8Array> | null> {
  // A URL can have an ID in upper case.
  const plan: Plan = { kind: 'one', resource, id: id.toLowerCase() }
  const page = await reader.read({ plan, prefix: '', address, requestId, startedAt })
  if (page.rows === 0) {
    page.release()
    return null
  }
  const bytes = page.out.result()
  let sent = 0
  return new ReadableStream(
    {
      pull(controller) {
        // The stream can use the chunk after the page is released, so it gets a copy.
        if (sent < bytes.length) controller.enqueue(Buffer.from(bytes.subarray(sent, sent + CHUNK_BYTES)))
        sent += CHUNK_BYTES
        if (sent < bytes.length) return
        page.release()
        controller.close()
      },
      cancel: () => page.release(),
    },
    { highWaterMark: 0 },
  )
}
