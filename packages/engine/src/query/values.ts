// Writes the values of a statement, either as parameters or into the statement's text.
//
// - A prepared statement has parameters, so PostgreSQL can reuse a plan after a few executions on a connection.
// - A statement whose best plan depends on its values has the values in its text.

import type { Microseconds } from '@store-export/contract'
import { timestampLiteral, timestampText, uuidLiteral } from './literal.ts'

/** Writes the values of one statement. Each method returns the SQL that stands for the value. */
export interface Values {
  /** Returns SQL of type timestamptz. */
  timestamp(value: Microseconds): string
  /** Returns SQL of type uuid. `value` is a UUID in lower case. `LITERALS` throws `TypeError` for another string. */
  uuid(value: string): string
  /** Returns SQL of type int8. */
  count(value: bigint): string
}

/** Writes values as literals into the statement's text. */
export const LITERALS: Values = {
  timestamp: timestampLiteral,
  uuid: uuidLiteral,
  count: (value) => `${value}::int8`,
}

/** Writes `$1`, `$2`, and so on, and collects the values in `values`. */
export class Parameters implements Values {
  readonly values: string[] = []

  timestamp(value: Microseconds): string {
    return `${this.#next(timestampText(value))}::timestamptz`
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
