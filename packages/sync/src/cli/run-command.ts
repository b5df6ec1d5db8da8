// `store-sync run`: once, again and again, or as a look at what it would do.

import { setTimeout } from 'node:timers/promises'
import type { CsvOptions } from '../copies/files/csv.ts'
import type { PlanOptions } from '../run/plan.ts'
import { preview, type TablePreview } from '../run/preview.ts'
import { run } from '../run/run.ts'
import type { CopyTable } from '../tables.ts'
import { copyOf } from './destination.ts'
import { numberText, printEvent, tableText } from './output.ts'
import { mayBeFixedMeanwhile } from './passing.ts'
import { MODES, summaryText, tellPerson, tellProgram } from './progress.ts'
import { sentenceOf } from './sentence.ts'
import { now, REFUSED_FOR_MS, type Session, type SessionWords, sessionOf } from './session.ts'
import type { Surroundings } from './surroundings.ts'
import { delimiterOf, durationOf, instantOf, tablesOf } from './usage.ts'

/** Words of `store-sync run`. */
export interface RunWords extends SessionWords {
  readonly to: string
  readonly full?: true
  readonly prune?: true
  readonly allowEmpty?: true
  readonly tables?: string
  readonly since?: string
  readonly overlap?: string
  readonly every?: string
  readonly dryRun?: true
  readonly csvDelimiter?: string
  readonly csvNoApostrophe?: true
}

/** Ctrl-C came while nothing was under way. */
export class EndedBetweenRuns extends Error {
  override readonly name = 'EndedBetweenRuns'
}

interface TaskOptions extends PlanOptions {
  readonly tables?: readonly CopyTable[]
  readonly prunes: boolean
  readonly allowsEmpty: boolean
}

/** A run whose words were understood. */
interface Task {
  readonly session: Session
  readonly options: TaskOptions
  readonly words: RunWords
  readonly surroundings: Surroundings
}

/** Runs as the words say. Throws what a run throws, and `EndedBetweenRuns`. */
export async function runCommand(words: RunWords, surroundings: Surroundings): Promise<void> {
  const everyMs = words.every === undefined ? null : durationOf('--every', words.every)
  const options = optionsOf(words)
  // said before anybody is asked for a key
  await copyOf(words.to, surroundings.env, csvOf(words))
  // a service that starts at the same time may take longer than a run that is tried once should wait
  const refused = everyMs === null ? { retryRefusedForMs: REFUSED_FOR_MS } : {}
  const task = { session: await sessionOf(words, surroundings, refused), options, words, surroundings }
  if (words.dryRun) return look(task)
  if (everyMs === null) return runOnce(task)
  for (;;) {
    await runOnce(task).catch((error: unknown) => {
      if (surroundings.signal.aborted || !mayBeFixedMeanwhile(error)) throw error
      tellFailure(task, error)
    })
    await setTimeout(everyMs, undefined, { signal: surroundings.signal }).catch((cause: unknown) => {
      throw new EndedBetweenRuns('ended', { cause })
    })
  }
}

function tellFailure({ session, words, surroundings: { output } }: Task, error: unknown): void {
  const sentence = `${sentenceOf(error)}; the next run is in ${words.every}`
  session.teller.say(`store-sync: ${sentence}`)
  if (words.json) printEvent(output, { event: 'error', message: sentence })
}

function optionsOf({ full, prune, allowEmpty, tables, since, overlap }: RunWords): TaskOptions {
  return {
    isFull: full === true,
    prunes: prune === true,
    allowsEmpty: allowEmpty === true,
    ...(tables === undefined ? {} : { tables: tablesOf(tables) }),
    ...(since === undefined ? {} : { since: instantOf(since) }),
    ...(overlap === undefined ? {} : { overlapMs: durationOf('--overlap', overlap) }),
  }
}

function csvOf({ csvDelimiter, csvNoApostrophe }: RunWords): CsvOptions {
  return {
    ...(csvDelimiter === undefined ? {} : { delimiter: delimiterOf(csvDelimiter) }),
    ...(csvNoApostrophe ? { escapesFormulas: false } : {}),
  }
}

async function runOnce({ session, options, words, surroundings }: Task): Promise<void> {
  const { env, output, signal } = surroundings
  const { client, meter, teller } = session
  const copy = await copyOf(words.to, env, csvOf(words))
  const before = meter.requests
  const startedAt = now()
  if (!words.json) teller.begin()
  const observe = words.json ? tellProgram(output) : tellPerson(teller)
  const summary = await run({ client, copy, observe, signal, ...options }).finally(() => teller.end())
  const spent = { ms: Math.round(now() - startedAt), requests: meter.requests - before }
  if (words.json) printEvent(output, { event: 'run', storeId: summary.storeId, ...spent })
  else teller.say(summaryText(summary, { ...spent, copy: copy.name, isPart: options.tables !== undefined }))
}

async function look({ session: { client }, options, words, surroundings }: Task): Promise<void> {
  const { env, output, signal } = surroundings
  const copy = await copyOf(words.to, env)
  for await (const table of preview({ client, copy, signal, ...options })) {
    if (words.json) printEvent(output, { event: 'would', ...table })
    else output.say(`${previewText(table)}\n`)
  }
  if (!words.json) output.say(`  nothing was written; \`run\` without --dry-run brings ${copy.name} up to date\n`)
}

function previewText({ table, mode, since, rows, isAtLeast, idsPages }: TablePreview): string {
  const from = since === null ? '' : ` since ${since}`
  const ids = idsPages === 0 ? '' : `, and ${numberText(idsPages)} ${idsPages === 1 ? 'page' : 'pages'} of ids`
  return `${tableText(table, rows)} rows${isAtLeast ? ' or more' : ''}  ${MODES[mode]}${from}${ids}`
}
