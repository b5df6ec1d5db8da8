// Writes lines to a file descriptor and never makes the process wait for their reader. A write that fails (the
// pipe is full, the disk is full, the reader left) is tried again; meanwhile lines are buffered up to a bound, and beyond it
// they are dropped and counted (docs/contribute/decisions/041-never-block-on-log-output.md).

import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Options of an output. */
export interface LineOutputOptions {
  readonly fd: number
  /** Size of the buffer for a stalled output; 1 MiB by default. */
  readonly bytesMax?: number
  /** The line that is written when the output works again after lines were dropped. */
  readonly lossLine: (lines: number) => string
}

const BYTES_MAX = 1_048_576
const RETRY_MS = 100
/** How long the end of the process waits for a reader. */
const EXIT_WAIT_MS = 200
const EXIT_STEP_MS = 10

/** Lines on their way to a file descriptor. */
export class LineOutput {
  private readonly fd: number
  private readonly bytesMax: number
  private readonly lossLine: LineOutputOptions['lossLine']
  /** What the file descriptor has not taken yet; begins in the middle of a line after a partial write. */
  private pending: Buffer[] = []
  private pendingBytes = 0
  private retry: NodeJS.Timeout | null = null
  private lostInStall = 0
  private lostSinceAsked = 0

  constructor({ fd, bytesMax = BYTES_MAX, lossLine }: LineOutputOptions) {
    this.fd = withoutBlocking(fd)
    this.bytesMax = bytesMax
    this.lossLine = lossLine
    process.once('exit', () => this.flushAtExit())
  }

  /** Writes a line that ends in a line feed, now or later, or drops it. Never throws and never waits. */
  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.pendingBytes + bytes.length > this.bytesMax) {
      this.lostInStall++
      this.lostSinceAsked++
      return
    }
    this.keep(bytes)
    if (this.retry === null) this.flush()
  }

  /**
   * Writes a line unless the output is stalled. Returns whether the file descriptor took all of it: a line that it took in
   * part, or not yet, can still be lost with the process.
   */
  writeNow(line: string): boolean {
    if (this.pendingBytes > 0) return false
    this.write(line)
    return this.pendingBytes === 0
  }

  /** How many lines were dropped since this was last called. */
  takeDropped(): number {
    const dropped = this.lostSinceAsked
    this.lostSinceAsked = 0
    return dropped
  }

  private keep(bytes: Buffer): void {
    this.pending.push(bytes)
    this.pendingBytes += bytes.length
  }

  private flush(): void {
    this.retry = null
    if (!this.writePending()) this.retry = setTimeout(() => this.flush(), RETRY_MS).unref()
    // The line stands where the others are missing. It waits until half of the buffer is free, so that few gaps get a line.
    if (this.lostInStall === 0 || this.pendingBytes > this.bytesMax / 2) return
    const line = this.lossLine(this.lostInStall)
    this.lostInStall = 0
    this.write(line)
  }

  /** Whether the file descriptor took everything. After an error the rest stays in the buffer, because the error can end. */
  private writePending(): boolean {
    while (this.pendingBytes > 0) {
      const bytes = this.pending.length === 1 ? (this.pending[0] as Buffer) : Buffer.concat(this.pending)
      let written = 0
      try {
        written = writeSync(this.fd, bytes)
      } catch {
        this.pending = [bytes]
        return false
      }
      this.pending = written < bytes.length ? [bytes.subarray(written)] : []
      this.pendingBytes -= written
    }
    return true
  }

  private flushAtExit(): void {
    const until = performance.now() + EXIT_WAIT_MS
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    while (!this.writePending() && performance.now() < until) Atomics.wait(sleeper, 0, 0, EXIT_STEP_MS)
  }
}

/**
 * A descriptor whose writes fail with EAGAIN instead of waiting. Node makes the standard streams non-blocking when it
 * creates their objects, but another process that shares a pipe or a terminal can undo that, so both are opened again if
 * the system allows it. A regular file keeps its descriptor, with its position and its append mode.
 */
function withoutBlocking(fd: number): number {
  void (fd === 1 ? process.stdout : process.stderr)
  if (!fstatSync(fd).isFIFO() && !isatty(fd)) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return fd
  }
}
