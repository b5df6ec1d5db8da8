// Strings that must not be printed: passwords, keys, connection URLs. Templates, JSON, console and log get a label instead.

import { inspect } from 'node:util'

/** A string that prints as its label. Only `reveal` returns it. */
export class Secret {
  readonly #text: string
  readonly #label: string

  constructor(text: string, label = '[secret]') {
    this.#text = text
    this.#label = label
  }

  /** The string. Call this where the value is used, and don't store the result. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return this.#label
  }

  toJSON(): string {
    return this.#label
  }

  [inspect.custom](): string {
    return this.#label
  }
}
