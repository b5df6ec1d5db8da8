// A statement as it is sent, and the values in it: apart from the text where the same text is sent again and again, so
// that the server plans it once for each connection; in the text where the best plan depends on them.

import type { Microseconds } from '@store-export/contract'
import { instantLiteral, instantText, uuidLiteral } from './literal.ts'

/** Writes the values of one statement. */
export interface Values {
  instant(value: Microseconds): string
  uuid(value: string): string
  count(value: bigint): string
}

/** Values that become part of the text. */
export const LITERALS: Values = {
  instant: instantLiteral,
  uuid: uuidLiteral,
  count: (value) => `${value}::int8`,
}

/** Values that are sent beside the text, in the order in which they were written. */
export class Parameters implements Values {
  readonly values: string[] = []

  instant(value: Microseconds): string {
    return `${this.#next(instantText(value))}::timestamptz`
  }

  uuid(value: string): string {
    return `${this.#next(value)}::uuid`
  }

  count(value: bigint): string {
    return `${this.#next(String(value))}::int8`
  }

  #next(value: string): string {
    return `$${this.values.push(value)}`
  }
}
