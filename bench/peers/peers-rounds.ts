// Runs rounds in which the servers take turns, so that noise of the machine affects all equally. A turn requests a
// page, or a set of orders by ID. Each turn and each round starts with another server. `peers-measure.ts` takes medians
// over the rounds, and ratios within a round.

import { processorTimeOfServer } from '../lib/processor-time.ts'
import { type Round, type Sample, type Samples, WARM_UP_ROUNDS } from '../lib/rounds.ts'
import { type PeerClock, readClock } from './peers-clock.ts'

/** A server that takes part in the rounds. */
export interface Participant {
  readonly name: string
  readonly processId: number
  readonly clock: PeerClock
  /** Number of requests of one turn. */
  readonly requests: number
  /** Returns the turns of a round. Each turn resolves to its number of bytes. */
  readonly turns: (round: Round) => readonly (() => Promise<number>)[]
}

/**
 * Runs the rounds. Returns one sample per participant and round, with averages of one request. Leaves out the warm-up
 * rounds. `serverProcessId` is the ID of the PostgreSQL server's process.
 */
export async function runInTurns(
  participants: readonly Participant[],
  { rounds, serverProcessId }: { rounds: number; serverProcessId: number },
): Promise<Samples> {
  const samples = new Map(participants.map(({ name }) => [name, [] as Sample[]]))
  for (let index = -WARM_UP_ROUNDS; index < rounds; index++) {
    // A warm-up round sends the requests of the first round.
    const round = await runRound(participants, { index: Math.max(0, index), count: rounds }, serverProcessId)
    if (index >= 0) for (const [name, sample] of round) samples.get(name)?.push(sample)
  }
  return samples
}

interface Sum {
  databaseMs: number
  wallMs: number
  bytes: number
}

async function runRound(
  participants: readonly Participant[],
  round: Round,
  serverProcessId: number,
): Promise<[string, Sample][]> {
  const all = participants.map((participant) => ({ participant, turns: participant.turns(round), sum: newSum() }))
  const before = await processTimes(participants)
  const count = Math.max(...all.map(({ turns }) => turns.length))
  for (let index = 0; index < count; index++) {
    const first = (index + round.index) % all.length
    for (const { turns, sum } of [...all.slice(first), ...all.slice(0, first)]) {
      const turn = turns[index]
      if (turn !== undefined) await measure(turn, sum, serverProcessId)
    }
  }
  // The processor time of a participant is read once per round, so it includes work after a response, such as garbage
  // collection. The PostgreSQL server works for all participants, so `measure` reads its time around each turn.
  const after = await processTimes(participants)
  return all.map(({ participant: { name, requests }, turns, sum }, index) => {
    const processMs = (after[index] ?? Number.NaN) - (before[index] ?? Number.NaN)
    return [name, sampleOf({ ...sum, processMs }, turns.length * requests)]
  })
}

async function measure(turn: () => Promise<number>, sum: Sum, serverProcessId: number): Promise<void> {
  const databaseBefore = await processorTimeOfServer(serverProcessId)
  const startedAt = performance.now()
  sum.bytes += await turn()
  sum.wallMs += performance.now() - startedAt
  sum.databaseMs += (await processorTimeOfServer(serverProcessId)) - databaseBefore
}

function processTimes(participants: readonly Participant[]): Promise<number[]> {
  return Promise.all(participants.map(({ clock, processId }) => readClock(clock, processId)))
}

function newSum(): Sum {
  return { databaseMs: 0, wallMs: 0, bytes: 0 }
}

function sampleOf({ processMs, databaseMs, wallMs, bytes }: Sum & { processMs: number }, requests: number): Sample {
  return {
    processMs: processMs / requests,
    databaseMs: databaseMs / requests,
    totalMs: (processMs + databaseMs) / requests,
    wallMs: wallMs / requests,
    bytes: bytes / requests,
  }
}
