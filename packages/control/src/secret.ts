// Wraps strings that must not be printed: passwords, keys, and connection URLs. They print as a label.

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

  /** Returns the label. */
  toString(): string {
    return this.#label
  }

  /** Returns the label. */
  toJSON(): string {
    return this.#label
  }

  [inspect.custom](): string {
    return this.#label
  }
}
