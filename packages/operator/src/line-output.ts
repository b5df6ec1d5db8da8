// Writes lines to a file descriptor without blocking the process. Its states:
//
// - Writing: the buffer is empty, and each line is written at once.
// - Stalled, after a failed write (full pipe, full disk, closed pipe): lines wait in the buffer, and the output tries
//   again every 100 ms. Lines that do not fit are dropped and counted.
// - Recovering: when half of the buffer is free, a line reports how many lines were lost at this position.
// - Exit: the process tries for up to 200 ms to write the buffer.
//
// See docs/contribute/decisions/041-never-block-on-log-output.md.

import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** The size of the buffer, and what to write after lines were dropped. */
export interface LineOutputOptions {
  readonly fd: number
  /** Maximum size of the buffer for a stalled output, in bytes; 1 MiB by default. */
  readonly bytesMax?: number
  /** Returns the line to write when the output works again after lines were dropped. */
  readonly lossLine: (lines: number) => string
}

const BYTES_MAX = 1_048_576
const RETRY_MS = 100
/** Maximum time for which the exit of the process waits for a stalled output. */
const EXIT_WAIT_MS = 200
/** Pause between two attempts at exit. */
const EXIT_STEP_MS = 10

/** Writes lines to a descriptor, or buffers them while the descriptor does not accept them. */
export class LineOutput {
  private readonly fd: number
  private readonly bytesMax: number
  private readonly lossLine: LineOutputOptions['lossLine']
  /** Bytes that are not written yet. After a partial write, they start in the middle of a line. */
  private pending: Buffer[] = []
  private pendingBytes = 0
  private retry: NodeJS.Timeout | null = null
  private droppedInStall = 0
  private droppedSinceRead = 0

  constructor({ fd, bytesMax = BYTES_MAX, lossLine }: LineOutputOptions) {
    this.fd = withoutBlocking(fd)
    this.bytesMax = bytesMax
    this.lossLine = lossLine
    process.once('exit', () => this.flushAtExit())
  }

  /**
   * Writes a line now or later, or drops it if it does not fit into the buffer. `line` ends in a line feed. Never
   * throws.
   */
  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.pendingBytes + bytes.length > this.bytesMax) {
      this.droppedInStall++
      this.droppedSinceRead++
      return
    }
    this.append(bytes)
    if (this.retry === null) this.flush()
  }

  /**
   * Writes a line unless the output is stalled. Returns whether the whole line was written. Otherwise the line was left
   * out or dropped, or waits in the buffer, where a crash can lose it.
   */
  writeNow(line: string): boolean {
    if (this.pendingBytes > 0) return false
    this.write(line)
    return this.pendingBytes === 0
  }

  /** Returns the number of lines that were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.droppedSinceRead
    this.droppedSinceRead = 0
    return dropped
  }

  private append(bytes: Buffer): void {
    this.pending.push(bytes)
    this.pendingBytes += bytes.length
  }

  private flush(): void {
    this.retry = null
    if (!this.writePending()) this.retry = setTimeout(() => this.flush(), RETRY_MS).unref()
    // Reports at half of the buffer, so that there are few reports.
    if (this.droppedInStall === 0 || this.pendingBytes > this.bytesMax / 2) return
    const line = this.lossLine(this.droppedInStall)
    this.droppedInStall = 0
    this.write(line)
  }

  /**
   * Writes the buffer. Returns whether it is empty. After an error, the rest stays, because the error can be temporary.
   */
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

  /** Blocks the thread between attempts, because timers do not run at exit. */
  private flushAtExit(): void {
    const until = performance.now() + EXIT_WAIT_MS
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    while (!this.writePending() && performance.now() < until) Atomics.wait(sleeper, 0, 0, EXIT_STEP_MS)
  }
}

/**
 * Returns a descriptor whose writes fail with EAGAIN instead of blocking. Node.js makes a pipe non-blocking when it
 * creates the stream, but another process with the same pipe can reset that. Node.js leaves a terminal blocking. So a
 * pipe or terminal is opened again if possible. A regular file keeps its own descriptor, with its position and append
 * mode.
 */
function withoutBlocking(fd: number): number {
  // This creates the stream, which makes a pipe non-blocking.
  void (fd === 1 ? process.stdout : process.stderr)
  if (!fstatSync(fd).isFIFO() && !isatty(fd)) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return fd
  }
}
