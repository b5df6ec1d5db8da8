// The command line: which commands there are, and what is said when one fails. What each does is in commands/.

import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { ProcessContext } from './command-context.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addMerchantsCommands } from './commands/merchants.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addSecretsCommands } from './commands/secrets.ts'
import { addServeCommand } from './commands/serve.ts'
import { addStoresCommands } from './commands/stores.ts'
import { settingsHelp } from './config.ts'
import { explainError } from './explain-error.ts'
import { printJsonError, printMessage } from './output.ts'
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from './user-error.ts'

/** Runs one command; resolves to the code to end with. A service that was started goes on running. */
export async function runCli(words: readonly string[], processContext: ProcessContext): Promise<number> {
  const json = words.includes('--json')
  try {
    await createProgram(processContext, json).parseAsync([...words], { from: 'user' })
    // A command may have failed in what it reports, as doctor does.
    return typeof process.exitCode === 'number' ? process.exitCode : EXIT_DONE
  } catch (error) {
    if (error instanceof CommanderError) return endUsage(error, json)
    return complain(error, json)
  }
}

/** Creates the program with all its commands. */
export function createProgram(processContext: ProcessContext, json: boolean): Command {
  const program = new Command('store-export')
    .description('Read-only export of the data of every store on a platform.')
    .version(manifest.version)
    .exitOverride()
    .configureOutput(json ? { writeErr: () => undefined } : {})
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', () => `\n${COMMON_HELP}\n\nSettings, from the environment:\n${settingsHelp()}`)
  const add = [
    addDemoCommand,
    addServeCommand,
    addMigrateCommand,
    addStoresCommands,
    addKeysCommands,
    addMerchantsCommands,
    addSecretsCommands,
    addDoctorCommand,
  ]
  for (const addCommand of add) addCommand(program, processContext)
  return program
}

/** What holds for every command. */
export const COMMON_HELP = `Every command takes --json. Results go to standard output, words to standard error.
With --json, an error is one line on standard error: {"error": {"code": "...", "message": "..."}}.
Exit codes: 0 done, 1 failed, 2 wrong usage, 75 a database cannot be reached (try again later).`

/** Commander has written its message already, except with --json. */
function endUsage({ exitCode, code, message }: CommanderError, json: boolean): number {
  if (exitCode === 0) return EXIT_DONE
  if (json) {
    const reason = code === 'commander.help' ? 'a command is missing: add --help' : message.replace(/^error: /, '')
    printJsonError({ code: 'usage', message: reason })
  }
  return EXIT_USAGE
}

function complain(error: unknown, json: boolean): number {
  const explanation = explainError(error)
  if (explanation !== null) {
    const { code, message, exitCode } = explanation
    if (json) printJsonError({ code, message: message })
    else printMessage(`store-export: ${message}`)
    return exitCode
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (json) {
    printJsonError({ code: 'internal_error', message: 'an internal error; please report it with the stack', stack })
  } else {
    printMessage('store-export: this is a bug, please report it with what follows:')
    printMessage(stack)
  }
  return EXIT_FAILED
}
