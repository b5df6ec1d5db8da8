// The command line of `store-sync`: its options, and its exit codes: 0 done, 1 failed or not the same, 2 wrong usage, 75
// temporary failure.

import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { TABLE_NAMES } from '../tables.ts'
import { DESTINATIONS } from './destination.ts'
import { KEY_FILE_VARIABLE, KEY_VARIABLE } from './key.ts'
import { LiveLine, printEvent } from './output.ts'
import { passesByItself } from './passing.ts'
import { EndedBetweenRuns, type RunWords, runCommand } from './run-command.ts'
import { sentenceOf } from './sentence.ts'
import type { Surroundings } from './surroundings.ts'
import { UsageProblem } from './usage.ts'
import { CopyDiffers, type VerifyWords, verifyCommand } from './verify-command.ts'

const DONE = 0
const FAILED = 1
const USAGE = 2
/** EX_TEMPFAIL of sysexits.h: the same command can succeed later. */
const PASSES = 75

/** Runs the command; resolves to the code to end with. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await createProgram(surroundings).parseAsync([...words], { from: 'user' })
    return DONE
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return DONE
      if (words.includes('--json')) printEvent(surroundings.output, { event: 'error', message: error.message })
      return USAGE
    }
    // ended while it waited for the next run: nothing is left undone
    if (error instanceof EndedBetweenRuns) return DONE
    if (error instanceof CopyDiffers) return FAILED
    const { signal, output } = surroundings
    const sentence = signal.aborted ? 'ended before it was done; run it again' : sentenceOf(error)
    new LiveLine(output).end(`store-sync: ${sentence}`)
    if (words.includes('--json')) printEvent(output, { event: 'error', message: sentence })
    if (error instanceof UsageProblem) return USAGE
    return !signal.aborted && passesByItself(error) ? PASSES : FAILED
  }
}

/** Destinations, tables, the key, and exit codes. */
export const COMMON_HELP = `
Destinations: ${DESTINATIONS}
Tables: ${TABLE_NAMES.join(', ')}

The key is read from ${KEY_VARIABLE}, from the file that ${KEY_FILE_VARIABLE} names, or asked for; never from the command line.
Exit codes: 0 done, 1 failed or not the same, 2 wrong usage, 75 temporary failure: run the same command again later.`

/** Creates the program with its commands. */
export function createProgram(surroundings: Surroundings): Command {
  const command = new Command('store-sync')
    .description('Keeps a copy of one store that is right.')
    .version(version())
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', COMMON_HELP)
  asking(command.command('run'))
    .description('bring the copy up to date: everything at first, then what changed')
    .option('--full', 'walk everything again, and remove what the store no longer has')
    .option('--prune', 'find what the store has deleted by ids alone, and remove it')
    .option('--allow-empty', 'remove all rows of a table if the store returns none; without it the run keeps them')
    .option('--tables <names>', 'only these, with commas between; tables that come within them, too')
    .option('--since <time>', 'leave out what was last changed before: 2026-01-31, 2026-01-31T08:00:00Z, or 30d')
    .option('--overlap <time>', 'ask so far back beyond the last run, for writes that became visible late', '5m')
    .option('--every <time>', 'go on for ever, so long after the end of each run: 90s, 15m, 2h, 1d')
    .option('--csv-delimiter <character>', 'put this between the values of CSV files: , (default), ;, | or tab')
    .option(
      '--csv-no-apostrophe',
      'write texts that begin like a formula as they are, for programs; not for spreadsheets',
    )
    .option('--dry-run', 'say what would be fetched, and write nothing')
    .action((words: RunWords) => {
      if (words.dryRun && words.every !== undefined)
        throw new UsageProblem('--dry-run: looks once; leave --every out, or --dry-run')
      return runCommand(words, surroundings)
    })
  asking(command.command('verify'))
    .description('compare the copy with the store, row by row, and say where they differ')
    .option('--quick', 'compare ids and times of change alone, where a table has a list of them')
    .option('--tables <names>', 'only these, with commas between; tables that come within them, too')
    .action((words: VerifyWords) => verifyCommand(words, surroundings))
  return command
}

/** What both commands take. */
function asking(command: Command): Command {
  return command
    .requiredOption('--url <url>', 'address of the service')
    .requiredOption('--to <destination>', `where the copy is: ${DESTINATIONS}`)
    .option('--requests-per-minute <number>', 'ask at most so often, evenly spread, for a key that other tools use')
    .option('--insecure-http', 'send the key unencrypted to an http:// address of another machine')
    .option('--json', 'lines of JSON for a program')
    .addHelpText('after', COMMON_HELP)
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
