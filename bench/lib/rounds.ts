// Runs variants in short rounds, so that noise of the machine affects all of them equally. Each round runs every
// variant once and starts with another one. The result is the median over the rounds. Ratios are calculated within a
// round.

import { processorTimeOf, processorTimeOfServer } from './processor-time.ts'

/** A kind of request to measure, and the process that handles it. */
export interface Variant {
  readonly name: string
  /** ID of the process whose processor time counts, together with the database's. */
  readonly processId: number
  /** Number of requests that `run` sends. */
  readonly requests: number
  /**
   * Name of the variant with which the report compares this one: COPY of the same rows, or `select 1` for the key
   * check.
   */
  readonly baseline?: string
  /** Sends the requests of a round one after another. Returns the number of received bytes; 0 if it is unknown. */
  run(round: Round): Promise<number>
}

/** Index of a round, from 0, and the number of rounds. A warm-up round also has the index 0. */
export interface Round {
  readonly index: number
  readonly count: number
}

/** Averages of one request in a round, in ms and bytes. `bytes` is 0 if `run` doesn't know it. */
export interface Sample {
  readonly processMs: number
  readonly databaseMs: number
  readonly totalMs: number
  readonly wallMs: number
  readonly bytes: number
}

/** Samples of each variant, in the order of the rounds. */
export type Samples = ReadonlyMap<string, readonly Sample[]>

/**
 * Number of rounds before the rounds that count. After some thousand requests, V8 compiles the code of a request again,
 * and uses a second processor for it.
 */
export const WARM_UP_ROUNDS = 12

/**
 * Runs the variants in rounds and returns the samples, without those of the warm-up rounds. `serverProcessId` is the ID
 * of the PostgreSQL server's process.
 */
export async function runRounds(
  variants: readonly Variant[],
  { rounds, serverProcessId }: { rounds: number; serverProcessId: number },
): Promise<Samples> {
  const samples = new Map(variants.map(({ name }) => [name, [] as Sample[]]))
  for (let index = -WARM_UP_ROUNDS; index < rounds; index++) {
    const turn = (index + WARM_UP_ROUNDS) % variants.length
    for (const variant of [...variants.slice(turn), ...variants.slice(0, turn)]) {
      const sample = await measure(variant, { index: Math.max(0, index), count: rounds }, serverProcessId)
      if (index >= 0) samples.get(variant.name)?.push(sample)
    }
  }
  return samples
}

async function measure(variant: Variant, round: Round, serverProcessId: number): Promise<Sample> {
  const times = () => Promise.all([processorTimeOf(variant.processId), processorTimeOfServer(serverProcessId)])
  const before = await times()
  const startedAt = performance.now()
  const bytes = await variant.run(round)
  const wallMs = performance.now() - startedAt
  const after = await times()
  const [processMs, databaseMs] = [after[0] - before[0], after[1] - before[1]]
  const each = (amount: number) => amount / variant.requests
  return {
    processMs: each(processMs),
    databaseMs: each(databaseMs),
    totalMs: each(processMs + databaseMs),
    wallMs: each(wallMs),
    bytes: each(bytes),
  }
}

/** Returns the median of a value over the rounds. */
export function medianOf(samples: readonly Sample[], figure: keyof Sample): number {
  return median(samples.map((sample) => sample[figure]))
}

/** Returns the median over the rounds of a ratio: the figure of the first named variant divided by the second's. */
export function medianRatio(samples: Samples, names: readonly [string, string], figure: keyof Sample): number {
  return median(ratios(samples, names, figure))
}

/**
 * Returns the limits between which the median of the ratio lies with at least 95 % confidence. They are two of the
 * sorted ratios, so their distribution doesn't matter. There must be at least 6 rounds.
 */
export function medianRatioLimits(
  samples: Samples,
  names: readonly [string, string],
  figure: keyof Sample,
): readonly [number, number] {
  const sorted = ratios(samples, names, figure).toSorted((a, b) => a - b)
  // The limits are 1.96 standard deviations from the middle. By the sign test, the standard deviation is √n / 2.
  const index = Math.max(0, Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length)) - 1)
  return [sorted[index] ?? Number.NaN, sorted.at(-1 - index) ?? Number.NaN]
}

function ratios(samples: Samples, names: readonly [string, string], figure: keyof Sample): number[] {
  const [above = [], below = []] = names.map((name) => samples.get(name))
  return above.map((sample, index) => sample[figure] / (below[index]?.[figure] ?? Number.NaN))
}

/** Returns the median; NaN for no values. For an even number of values, this is the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}
