// Memory of pages, used again. Memory that is fresh for each page made the collector run every ten pages, which took a
// quarter of the service's processor time; a page's memory goes back when its last byte has left.

/** Holds 250 orders of the usual size; a larger page gets memory of its own, which is not reused. */
const BLOCK_BYTES = 576 * 1024
/** What needs less, one row or a few, is cheaper fresh. */
const SHARED_BYTES_MIN = 32 * 1024
/** Bounds what lies idle to 9 MiB. */
const IDLE_BLOCKS_MAX = 16

const idle: Buffer[] = []

/** Memory of at least `bytes`. What stood in it before is still there. */
export function takeMemory(bytes: number): Buffer {
  if (bytes < SHARED_BYTES_MIN || bytes > BLOCK_BYTES) return Buffer.allocUnsafeSlow(bytes)
  return idle.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
}

/** Takes memory back, once, from one that neither reads nor writes it any more. */
export function giveBackMemory(memory: Buffer): void {
  if (memory.length === BLOCK_BYTES && idle.length < IDLE_BLOCKS_MAX) idle.push(memory)
}
