// The command line of `store-sync`: its words, and the codes that it ends with: 0 done, 1 failed, 2 wrong usage.

import { setTimeout } from 'node:timers/promises'
import { ConnectionError, StoreExportClient, StoreExportError } from '@store-export/client'
import { Command, CommanderError } from 'commander'
import { CopyBusy, CopyProblem } from '../copies/copy.ts'
import { CopyLost } from '../copies/postgres-session.ts'
import { run } from '../run/run.ts'
import { copyOf, DESTINATIONS, UsageProblem } from './destination.ts'
import { parseDuration } from './duration.ts'
import { type Output, summaryText, tellPerson, tellProgram } from './progress.ts'

/** Where the command was typed. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly output: Output
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

interface RunWords {
  readonly url: string
  readonly to: string
  readonly full?: true
  readonly every?: string
  readonly json?: true
}

const DONE = 0
const FAILED = 1
const USAGE = 2
const KEY = 'STORE_EXPORT_KEY'

/** Runs the command; resolves to the code to end with. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await program(surroundings).parseAsync([...words], { from: 'user' })
    return DONE
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USAGE
    const { signal, output } = surroundings
    // ended while it waited for the next run: nothing is left undone
    if (error instanceof EndedBetweenRuns) return DONE
    output.say(
      `store-sync: ${signal.aborted ? 'ended before the copy was up to date; run it again' : sentenceOf(error)}\n`,
    )
    return error instanceof UsageProblem ? USAGE : FAILED
  }
}

function program(surroundings: Surroundings): Command {
  const command = new Command('store-sync')
    .description('Keeps a copy of one store that is right.')
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText(
      'after',
      `\nThe key is read from ${KEY}, never from the command line.\nExit codes: 0 done, 1 failed, 2 wrong usage.`,
    )
  command
    .command('run')
    .description('bring the copy up to date: everything at first, then what changed')
    .requiredOption('--url <url>', 'address of the service')
    .requiredOption('--to <destination>', `where the copy is: ${DESTINATIONS}`)
    .option('--full', 'walk everything again, and remove what the store no longer has')
    .option('--every <time>', 'go on for ever, with a run every 15m, 2h, 1d')
    .option('--json', 'lines of JSON for a program')
    .action((options: RunWords) => runAgain(options, surroundings))
  return command
}

async function runAgain(words: RunWords, surroundings: Surroundings): Promise<void> {
  const everyMs = words.every === undefined ? null : parseDuration(words.every)
  if (words.every !== undefined && everyMs === null)
    throw new UsageProblem(
      `--every: must be a time such as 90s, 15m, 2h or 1d; got ${JSON.stringify(words.every.slice(0, 20))}`,
    )
  const client = clientOf(words, surroundings)
  const { signal } = surroundings
  if (everyMs === null) return runOnce(client, words, surroundings)
  for (;;) {
    await runOnce(client, words, surroundings).catch((error: unknown) => {
      if (signal.aborted || !mayPass(error)) throw error
      surroundings.output.say(`store-sync: ${sentenceOf(error)}; the next run is in ${words.every}\n`)
    })
    await setTimeout(everyMs, undefined, { signal }).catch((cause: unknown) => {
      throw new EndedBetweenRuns('ended', { cause })
    })
  }
}

/** Ctrl-C came while nothing was under way. */
class EndedBetweenRuns extends Error {}

/** Whether a later run may succeed: not where the key, the address or the destination is wrong. */
function mayPass(error: unknown): boolean {
  if (error instanceof StoreExportError) return error.status >= 500 || [409, 429].includes(error.status)
  return error instanceof ConnectionError || error instanceof CopyBusy || error instanceof CopyLost
}

async function runOnce(client: StoreExportClient, { to, full, json }: RunWords, { env, output, signal }: Surroundings) {
  const copy = copyOf(to, env)
  const now = () => performance.now()
  const startedAt = now()
  const observe = json ? tellProgram(output) : tellPerson(output, now)
  const summary = await run({ client, copy, observe, signal, isFull: full === true })
  if (json) output.print(JSON.stringify({ event: 'run', store_id: summary.storeId, ms: Math.round(now() - startedAt) }))
  else output.say(summaryText(summary, copy.name, now() - startedAt))
}

function clientOf({ url }: RunWords, { env, output }: Surroundings): StoreExportClient {
  const key = env[KEY]?.trim() ?? ''
  if (key === '')
    throw new UsageProblem(
      `the variable ${KEY} must hold a key of the store; make one in its dashboard under Settings, API`,
    )
  try {
    return new StoreExportClient({
      url,
      key,
      onPause: ({ reason, ms }) => {
        if (reason === 'limit') output.say(`\n  the limit is reached: going on in ${Math.ceil(ms / 1000)} s\n`)
      },
    })
  } catch (error) {
    throw new UsageProblem(`--${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What went wrong, in a sentence; a defect is told as one. */
function sentenceOf(error: unknown): string {
  const known = [UsageProblem, CopyBusy, CopyLost, CopyProblem, StoreExportError, ConnectionError]
  if (!(error instanceof Error)) return String(error)
  if (known.some((each) => error instanceof each)) return error.message
  const isSystems = 'code' in error && typeof error.code === 'string'
  return isSystems
    ? error.message
    : `this is a bug, please report it with what follows: ${error.stack ?? error.message}`
}
