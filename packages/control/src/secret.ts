// Text that must never be printed: passwords, keys, connection URLs.
// Whatever prints it by accident (template, JSON, console, logger) gets a label in its place.

import { inspect } from 'node:util'

/** A text that prints as its label everywhere; only `reveal()` gives it out. */
export class Secret {
  readonly #text: string
  readonly #label: string

  constructor(text: string, label = '[secret]') {
    this.#text = text
    this.#label = label
  }

  /** The text itself. Call it where the value is used, and keep the result in no longer-lived place. */
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
