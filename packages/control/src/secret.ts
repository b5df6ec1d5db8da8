// Wraps strings that must not be printed, such as passwords, keys, and connection URLs, so that they print as a label.

import { inspect } from 'node:util'

/** A string that prints as its label, such as [key]. Only `reveal` returns it. */
export class Secret {
  readonly #text: string
  readonly #label: string

  constructor(text: string, label = '[secret]') {
    this.#text = text
    this.#label = label
  }

  /** Returns the string. Call it only at the place that uses the string, and don't store the result. */
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
