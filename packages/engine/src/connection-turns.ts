// Rows of a whole page come faster than they become JSON: taken one chunk after the other as they are there, they would
// keep the event loop, and every other request, until the last of them. Who takes them gives way after a millisecond.

import type { Socket } from 'node:net'

/** How long chunks are taken in a row. The one that is begun is taken to its end: some 0.7 ms more. */
const TURN_MS = 1
/** Smaller ones are not worth asking the clock. */
const CHUNK_BYTES_MIN = 16 * 1024

/** When the first chunk of this turn of the event loop came; null where none has. Connections share it: each that is late takes one chunk. */
let begunAt: number | null = null

/** Calls `take` with the bytes; after a millisecond of that the socket is paused until everybody else had a turn. */
export function takeInTurn<T>(socket: Socket, bytes: Buffer, take: (bytes: Buffer) => T): T {
  if (bytes.length < CHUNK_BYTES_MIN) return take(bytes)
  const isOwn = begunAt === null
  begunAt ??= performance.now()
  const taken = take(bytes)
  if (isOwn) setImmediate(endTurn)
  if (performance.now() - begunAt >= TURN_MS && !socket.destroyed) {
    socket.pause()
    setImmediate(() => void socket.resume())
  }
  return taken
}

function endTurn(): void {
  begunAt = null
}
