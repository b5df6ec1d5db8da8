// Tracks the prepared statements of one connection by their text. A statement has these states:
// - new: a flush prepares it, and the server has not confirmed it yet.
// - parsed: the server has confirmed it.
// - stale: it was forgotten, and the next flush deallocates it. At most 64 statements are not stale: a new one replaces
//   the least recently used one.
//
// What must hold:
// - A name is unique among all connections of all nodes, so that the server reports an error if a pooler mixes up
//   connections. Otherwise, the server could run another statement.
// - If a flush is not sent, `keepStale` gets the names that the flush was to deallocate. Otherwise, the server would
//   keep these statements.

import { randomUUID } from 'node:crypto'
import type { ColumnDescription } from './typed-rows.ts'

/** Maximum number of prepared statements of a connection. Each statement uses memory of the server. */
export const PREPARED_MAX = 64

/** A statement that the server has prepared, or that the next flush prepares. */
export interface PreparedStatement {
  /** Name on the server. */
  readonly name: string
  /** Whether the server has confirmed the statement. */
  isParsed: boolean
  /** The columns of the result; null until the server has described them. */
  fields: readonly ColumnDescription[] | null
}

/** The prepared statements of one connection, at most `PREPARED_MAX`. */
export class PreparedStatements {
  readonly #byText = new Map<string, PreparedStatement>()
  readonly #prefix = `${randomUUID()}_`
  #count = 0
  #stale: string[] = []

  /** Returns the statement with this text and marks it as used; null if it is not prepared. */
  get(text: string): PreparedStatement | null {
    const known = this.#byText.get(text)
    if (known === undefined) return null
    this.#byText.delete(text)
    this.#byText.set(text, known)
    return known
  }

  /**
   * Adds a statement that is about to be prepared, under a new name. If there are more than 64, forgets the least
   * recently used one.
   */
  add(text: string): PreparedStatement {
    const prepared = { name: `${this.#prefix}${++this.#count}`, isParsed: false, fields: null }
    this.#byText.set(shared(text), prepared)
    const [oldest = text] = this.#byText.keys()
    if (this.#byText.size > PREPARED_MAX) this.forget(oldest)
    return prepared
  }

  /**
   * Forgets the statement with this text, so that the next use prepares it again. If `name` is given, a statement with
   * another name stays.
   */
  forget(text: string, name?: string): void {
    const known = this.#byText.get(text)
    if (known === undefined || (name !== undefined && known.name !== name)) return
    this.#byText.delete(text)
    this.#stale.push(known.name)
  }

  /** Adds names to the next result of `takeStale`, because the flush that should have deallocated them was not sent. */
  keepStale(names: readonly string[]): void {
    this.#stale.push(...names)
  }

  /** Returns the names to deallocate with the next flush, each once. The server ignores names that it doesn't know. */
  takeStale(): readonly string[] {
    if (this.#stale.length === 0) return this.#stale
    const stale = this.#stale
    this.#stale = []
    return stale
  }
}

/** Texts that connections share, because a node prepares the same statements on thousands of connections. */
const texts = new Map<string, string>()
/** Maximum number of shared texts. A full cache is emptied, and each connection still has its own texts. */
const SHARED_MAX = 10_000

function shared(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  if (texts.size >= SHARED_MAX) texts.clear()
  texts.set(text, text)
  return text
}
