// The exchange of COPY FROM STDIN.

import type { Cell } from './cell.ts'
import { outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'
import { MessageWriter } from './message-writer.ts'
import { Script } from './script.ts'

/** Where the data goes. */
export interface DataChannel {
  /** Returns whether the socket can take more at once. */
  write(bytes: Buffer): boolean
  /** Resolves when it can take more, or when the connection has ended. */
  drained(): Promise<unknown>
}

/** Sends data when the server waits for it. */
export class CopyIn extends Script {
  readonly #chunks: Iterable<Uint8Array>
  readonly #channel: DataChannel
  readonly #writer = new MessageWriter()
  #state: 'waiting' | 'sending' | 'sent' = 'waiting'

  constructor(chunks: Iterable<Uint8Array>, channel: DataChannel) {
    super()
    this.#chunks = chunks
    this.#channel = channel
  }

  override receive(type: number, body: Cell): boolean {
    if (type !== SERVER.copyInResponse) {
      // without this, data would still be sent while the server waits for a statement
      if (type === SERVER.readyForQuery && this.#state === 'sending' && !this.hasFailed) throw outOfOrder(type)
      return super.receive(type, body)
    }
    if (this.#state !== 'waiting') throw outOfOrder(type)
    this.#state = 'sending'
    void this.#sendAll()
    return false
  }

  /** After an error of the server, the rest would be dropped there. */
  async #sendAll(): Promise<void> {
    try {
      for (const chunk of this.#chunks) {
        if (this.hasFailed) return
        if (!this.#channel.write(this.#writer.copyData(chunk).take())) await this.#channel.drained()
      }
      if (this.hasFailed) return
      this.#state = 'sent'
      this.#channel.write(this.#writer.copyDone().take())
    } catch (cause) {
      if (this.hasFailed) return
      this.fail(cause instanceof Error ? cause : new Error(String(cause)))
      this.#channel.write(this.#writer.copyFail('the client could not read the data').take())
    }
  }
}
