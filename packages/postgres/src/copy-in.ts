// The exchange of COPY FROM STDIN.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Cell } from './cell.ts'
import { asError } from './errors.ts'
import { outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'
import { MessageWriter } from './message-writer.ts'
import { Script } from './script.ts'

/** Sends data when the server waits for it. */
export class CopyIn extends Script {
  readonly #chunks: Iterable<Uint8Array>
  readonly #socket: Socket
  readonly #writer = new MessageWriter()
  #state: 'waiting' | 'sending' | 'sent' = 'waiting'

  constructor(chunks: Iterable<Uint8Array>, socket: Socket) {
    super()
    this.#chunks = chunks
    this.#socket = socket
  }

  override receive(type: number, body: Cell): boolean {
    if (type !== SERVER.copyInResponse) {
      // without this, data would still be sent while the server waits for a statement
      if (type === SERVER.readyForQuery && this.#state === 'sending' && this.error === null) throw outOfOrder(type)
      return super.receive(type, body)
    }
    if (this.#state !== 'waiting') throw outOfOrder(type)
    this.#state = 'sending'
    void this.#sendAll()
    return false
  }

  /** Stops after an error of the server, which would drop the rest. */
  async #sendAll(): Promise<void> {
    try {
      for (const chunk of this.#chunks) {
        if (this.error !== null) return
        if (!this.#socket.write(this.#writer.copyData(chunk).take())) await this.#drained()
      }
      if (this.error !== null) return
      this.#state = 'sent'
      this.#socket.write(this.#writer.copyDone().take())
    } catch (cause) {
      if (this.error !== null) return
      this.error = asError(cause)
      this.#socket.write(this.#writer.copyFail('the client could not read the data').take())
    }
  }
  /** Resolves when the socket can take more, or when the exchange has ended. */
  async #drained(): Promise<void> {
    const stop = new AbortController()
    const ended = this.done.catch(() => undefined)
    await Promise.race([once(this.#socket, 'drain', { signal: stop.signal }).catch(() => undefined), ended])
    stop.abort()
  }
}
