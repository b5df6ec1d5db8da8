// Defines the command line of `store-sync`: commands, options and exit codes.

import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { TABLE_NAMES } from '../tables.ts'
import { KEY_FILE_VARIABLE, KEY_VARIABLE } from './api-key.ts'
import type { CliContext } from './cli-context.ts'
import { printEvent } from './cli-output.ts'
import { CommandLineError } from './command-line-error.ts'
import { DESTINATIONS } from './create-copy.ts'
import { errorMessage } from './error-message.ts'
import { type McpCommandOptions, mcpCommand } from './mcp-command.ts'
import { type RunCommandOptions, runCommand, StoppedBetweenRuns } from './run-command.ts'
import { StatusLine } from './status-line.ts'
import { isTemporaryFailure } from './temporary-failure.ts'
import { CopyDiffers, type VerifyCommandOptions, verifyCommand } from './verify-command.ts'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2
/** Exit code after which the same command can succeed later: EX_TEMPFAIL of sysexits.h. */
const TEMPORARY_FAILURE = 75

/**
 * Runs the command. Prints an error to standard error and, with `--json`, also as an event. Prints nothing for
 * `CopyDiffers`, whose differences are already printed, and for a stop between two runs. Resolves to the exit code:
 *
 * - 0: done, or stopped by a signal during `mcp` or between two runs of `--every`.
 * - 1: failed or interrupted, or the copy differs from the store.
 * - 2: wrong usage.
 * - 75: a temporary failure (`isTemporaryFailure`).
 *
 * If the user presses Ctrl-C at the prompt for the key, `promptForKey` ends the process with 130.
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' })
    return DONE
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return DONE
      // commander has printed the error. It has no parsed options after an error, so `--json` is looked up in `args`.
      if (args.includes('--json')) printEvent(context.output, { event: 'error', message: error.message })
      return WRONG_USAGE
    }
    if (error instanceof StoppedBetweenRuns) return DONE
    if (error instanceof CopyDiffers) return FAILED
    const { signal, output } = context
    const message = signal.aborted ? 'interrupted; run the same command again to continue' : errorMessage(error)
    new StatusLine(output).end(`store-sync: ${message}`)
    if (args.includes('--json')) printEvent(output, { event: 'error', message })
    if (error instanceof CommandLineError) return WRONG_USAGE
    return !signal.aborted && isTemporaryFailure(error) ? TEMPORARY_FAILURE : FAILED
  }
}

/** End of the help of `store-sync`, `run`, and `verify`. */
export const COMMON_HELP = `
Destinations: ${DESTINATIONS}
Tables: ${TABLE_NAMES.join(', ')}

Set ${KEY_VARIABLE} to the API key, or ${KEY_FILE_VARIABLE} to the path of a file that contains it.
At a terminal, store-sync prompts for the key if neither is set.
Exit code 0: the command succeeded, or you pressed Ctrl-C between two runs of --every or in mcp.
Exit code 1: the command failed, the copy differs from the store, or you pressed Ctrl-C during a run or a verification.
Exit code 2: an option is wrong, or there is no API key.
Exit code 75: a temporary failure. Run the same command again later.
Exit code 130: you pressed Ctrl-C at the prompt for the key.`

/** A complete call of each command, by its name. The help and the reference page show it. */
export const EXAMPLES = {
  run: 'store-sync run --url https://export.example.com --to sqlite:shop.db --prune',
  verify: 'store-sync verify --url https://export.example.com --to sqlite:shop.db --quick',
  mcp: 'store-sync mcp --from sqlite:/home/shop/shop.db',
} as const

/**
 * Returns the program. When commander would end the process, as after `--help` or a wrong option, `parseAsync` throws
 * `CommanderError`.
 */
export function createProgram(context: CliContext): Command {
  const command = new Command('store-sync')
    .description('Keep a copy of one store in sync.')
    .version(version())
    .exitOverride()
    .configureOutput({ outputError: (message, write) => write(message.replace(/^error: /, 'store-sync: ')) })
    .showHelpAfterError('Add --help to see the options.')
    .addHelpText('after', COMMON_HELP)
  withCommonOptions(command, 'run', `store the copy here: ${DESTINATIONS}`)
    .description('create or update the copy. The first run reads everything, and later runs read what changed.')
    .option('--full', 'read all rows again, and remove rows that the store no longer has')
    .option(
      '--prune',
      'also remove orders, products, and customers that the store has deleted. This reads only IDs, so it needs far fewer requests than --full.',
    )
    .option('--allow-empty', 'remove all rows of a table if the store returns none. Without this option, the rows stay')
    .option(
      '--tables <names>',
      'sync only these tables, separated by commas. Orders include their items, and products include their variants',
    )
    .option(
      '--since <time>',
      'skip orders, products, and customers last changed before this time. Write 2026-01-31 (00:00 UTC), 2026-01-31T08:00:00Z, or 30d (30 days ago)',
    )
    .option(
      '--overlap <duration>',
      'also read changes from this long before the last run, because some changes become visible late',
      '5m',
    )
    .option('--every <duration>', 'keep running; wait this long between runs (90s, 15m, 2h, 1d)')
    .option('--csv-delimiter <character>', 'separate the values of CSV files with ";", "|", or "tab" instead of ","')
    .option(
      '--csv-no-apostrophe',
      'omit the apostrophe before text that looks like a formula. Use it only for files that no spreadsheet opens',
    )
    .option(
      '--state <file>',
      'continue from the state in this file, which the Singer target printed in an earlier run. Only with --to singer',
    )
    .option('--dry-run', 'print what a run would read, and write nothing. Not with --every')
    .action((options: RunCommandOptions) => {
      if (options.dryRun && options.every !== undefined)
        throw new CommandLineError('--dry-run: cannot be combined with --every')
      return runCommand(options, context)
    })
  withCommonOptions(
    command,
    'verify',
    'compare the copy at this destination, which can be any destination of run except singer',
  )
    .description('compare the copy with the store, row by row, and print the differences')
    .option(
      '--quick',
      'send far fewer requests: compare only IDs and updated_at of most tables, and skip order items and product variants',
    )
    .option(
      '--tables <names>',
      'compare only these tables, separated by commas. Orders include their items, and products include their variants',
    )
    .action((options: VerifyCommandOptions) => verifyCommand(options, context))
  command
    .command('mcp')
    .description('let an assistant read a copy, over MCP on standard input and output. The command needs no API key')
    .requiredOption('--from <copy>', 'read this copy: sqlite:FILE')
    .option('--with-personal-data', 'also show columns that identify a person, such as names and addresses')
    .addHelpText('after', exampleHelp('mcp') + MCP_HELP)
    .action((options: McpCommandOptions) => mcpCommand(options, context, version()))
  return command
}

const MCP_HELP = `
The command reads the copy only. It needs no API key and sends no requests.
It runs until the host closes standard input. See docs/sync/guides/assistants.md.`

/** Adds the command `name` with the options that run and verify have. `to` is the help of `--to`. */
function withCommonOptions(program: Command, name: 'run' | 'verify', to: string): Command {
  return program
    .command(name)
    .requiredOption('--url <url>', 'read from the service at this address')
    .requiredOption('--to <destination>', to)
    .option(
      '--requests-per-minute <number>',
      'send at most this many requests per minute, evenly spaced. Use it if other tools share the key',
    )
    .option('--insecure-http', 'allow an http:// address of another machine. The key is then sent unencrypted')
    .option('--json', 'print one JSON object per line, for programs')
    .addHelpText('after', exampleHelp(name) + COMMON_HELP)
}

function exampleHelp(name: keyof typeof EXAMPLES): string {
  return `\nExample:\n  ${EXAMPLES[name]}\n`
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
