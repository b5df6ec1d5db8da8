// How often a test of faults repeats its round: a few times in `npm test`, as often as it promises in the long form.

/** The two numbers of rounds of a test. */
export interface Rounds {
  /** In `npm test`: seconds. */
  readonly quick: number
  /** Where STORE_EXPORT_ROUNDS is 1; another number multiplies it. */
  readonly long: number
}

/** How many rounds to run: `quick`, or `long` times STORE_EXPORT_ROUNDS where that is set; at least one. */
export function roundsOf({ quick, long }: Rounds): number {
  const times = process.env.STORE_EXPORT_ROUNDS
  if (times === undefined || times === '') return quick
  if (!(Number(times) > 0)) throw new RangeError(`STORE_EXPORT_ROUNDS: must be a number above 0; got "${times}"`)
  return Math.max(1, Math.round(long * Number(times)))
}
