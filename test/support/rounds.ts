// Decides how often a test of failures repeats: a few times in `npm test`, and many times in the nightly tests.

/** The two numbers of rounds of a test. */
export interface Rounds {
  /** Number of rounds in `npm test`, for a test of some seconds. */
  readonly quick: number
  /** Number of rounds if STORE_EXPORT_ROUNDS is 1. Another value multiplies this number. */
  readonly long: number
}

/**
 * Returns the number of rounds: `quick`, or `long` times STORE_EXPORT_ROUNDS if that is set; at least 1. Throws
 * `RangeError` unless the variable is above 0.
 */
export function roundsOf({ quick, long }: Rounds): number {
  const factor = process.env.STORE_EXPORT_ROUNDS
  if (factor === undefined || factor === '') return quick
  if (!(Number(factor) > 0)) throw new RangeError(`STORE_EXPORT_ROUNDS: must be a number above 0; got "${factor}"`)
  return Math.max(1, Math.round(long * Number(factor)))
}
