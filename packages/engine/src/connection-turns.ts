// Rows of a whole page come faster than they become JSON: taken one chunk after the other as they are there, they would
// keep the event loop, and every other request, until the last of them. Who takes them gives way after a millisecond.

import type { Socket } from 'node:net'

/** How long chunks are taken in a row. The one that is begun is taken to its end: some 0.7 ms more, of 64 KiB. */
const TURN_MS = 1
/** Fewer are not worth asking the clock. TLS brings them in records of a few KiB. */
const BYTES_MIN = 16 * 1024

/** What was taken in this turn of the event loop. Connections share it: each that is late takes one chunk. */
let begunAt: number | null = null
let bytesTaken = 0

/** Calls `take` with the bytes; after a millisecond of that the socket is paused until everybody else had a turn. */
export function takeInTurn<T>(socket: Socket, bytes: Buffer, take: (bytes: Buffer) => T): T {
  if (begunAt === null) {
    begunAt = performance.now()
    setImmediate(endTurn)
  }
  bytesTaken += bytes.length
  const since = begunAt
  try {
    return take(bytes)
  } finally {
    if (bytesTaken >= BYTES_MIN && performance.now() - since >= TURN_MS && !socket.destroyed) {
      socket.pause()
      setImmediate(() => void socket.resume())
    }
  }
}

function endTurn(): void {
  begunAt = null
  bytesTaken = 0
}
