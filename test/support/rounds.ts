// Decides how often a test of failures repeats: a few times in `npm test`, and many times in the nightly tests.

/** The two numbers of rounds of a test. */
export interface Rounds {
  /** Number of rounds in `npm test`. Choose it so that the test takes a few seconds. */
  readonly quick: number
  /** Number of rounds if STORE_EXPORT_ROUNDS is 1. Another value multiplies this number. */
  readonly long: number
}

/**
 * Returns `quick` if STORE_EXPORT_ROUNDS is unset or empty. Otherwise, returns `long` times its value, rounded, at
 * least 1. Throws `RangeError` if the value is not a number above 0.
 */
export function roundsOf({ quick, long }: Rounds): number {
  const factor = process.env.STORE_EXPORT_ROUNDS
  if (factor === undefined || factor === '') return quick
  if (!(Number(factor) > 0)) throw new RangeError(`STORE_EXPORT_ROUNDS: must be a number above 0; got "${factor}"`)
  return Math.max(1, Math.round(long * Number(factor)))
}
