// The prepared statements of one connection, by their text. The least recently used one is deallocated for a new one.

import { randomUUID } from 'node:crypto'
import type { ColumnDescription } from './typed-rows.ts'

export const PREPARED_MAX = 64

/** A statement that is prepared on the server. */
export interface PreparedStatement {
  /**
   * Name on the server. Unique among all connections, so that a pooler that mixes up connections causes an error instead of
   * running another statement.
   */
  readonly name: string
  /** Whether the server has confirmed it. */
  isParsed: boolean
  /** Its columns, once the server has described them. */
  fields: readonly ColumnDescription[] | null
}

export class PreparedStatements {
  readonly #byText = new Map<string, PreparedStatement>()
  readonly #prefix = `${randomUUID()}_`
  #count = 0
  #stale: string[] = []

  /** The statement with this text, which counts as used now; null if it is not prepared. */
  get(text: string): PreparedStatement | null {
    const known = this.#byText.get(text)
    if (known === undefined) return null
    this.#byText.delete(text)
    this.#byText.set(text, known)
    return known
  }

  /** A name for a statement that is about to be prepared. */
  add(text: string): PreparedStatement {
    const prepared = { name: `${this.#prefix}${++this.#count}`, isParsed: false, fields: null }
    this.#byText.set(shared(text), prepared)
    const [oldest = text] = this.#byText.keys()
    if (this.#byText.size > PREPARED_MAX) this.forget(oldest)
    return prepared
  }

  /** Prepares the statement with this text again at its next use, unless it already stands under another name. */
  forget(text: string, name?: string): void {
    const known = this.#byText.get(text)
    if (known === undefined || (name !== undefined && known.name !== name)) return
    this.#byText.delete(text)
    this.#stale.push(known.name)
  }

  /** Takes back names that could not be deallocated. */
  keepStale(names: readonly string[]): void {
    this.#stale.push(...names)
  }

  /** Names to deallocate with the next flush. Returns each once. The server ignores names that it does not know. */
  takeStale(): readonly string[] {
    if (this.#stale.length === 0) return this.#stale
    const stale = this.#stale
    this.#stale = []
    return stale
  }
}

/** Texts that connections share: a node prepares the same few statements on thousands of connections. */
const texts = new Map<string, string>()
const SHARED_MAX = 10_000

function shared(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  if (texts.size >= SHARED_MAX) texts.clear()
  texts.set(text, text)
  return text
}
