// Builds the command line: its commands (in commands/), the help for all of them, and the error messages.

import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { ProcessContext } from './command-context.ts'
import { addAdminTokensCommands } from './commands/admin-tokens.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDirectoryTokensCommands } from './commands/directory-tokens.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addMerchantsCommands } from './commands/merchants.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addSecretsCommands } from './commands/secrets.ts'
import { addServeCommand } from './commands/serve.ts'
import { addStatusCommand } from './commands/status.ts'
import { addStoresCommands } from './commands/stores.ts'
import { settingsHelp } from './config.ts'
import { explainError } from './explain-error.ts'
import { printJsonError, printMessage } from './output.ts'
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from './user-error.ts'

/** Runs one command, prints its error, and resolves to its exit code. A service that it started continues to run. */
export async function runCli(args: readonly string[], processContext: ProcessContext): Promise<number> {
  // Errors of the parser are printed as JSON, too, so the option is read before the arguments are parsed.
  const json = args.includes('--json')
  try {
    await createProgram(processContext, json).parseAsync([...args], { from: 'user' })
    // `doctor` sets the exit code if it finds errors or warnings.
    return typeof process.exitCode === 'number' ? process.exitCode : EXIT_DONE
  } catch (error) {
    if (error instanceof CommanderError) return reportUsageError(error, json)
    return reportError(error, json)
  }
}

/** Returns the program with all its commands. With `json`, commander prints no error messages. */
export function createProgram(processContext: ProcessContext, json: boolean): Command {
  const program = new Command('store-export')
    .description('Serve the data of the stores on a platform through a read-only HTTP API.')
    .version(manifest.version)
    .exitOverride()
    .configureOutput({
      ...(json ? { writeErr: () => undefined } : {}),
      outputError: (message, write) => write(message.replace(/^error: /, 'store-export: ')),
    })
    .showHelpAfterError('Add --help to see the options.')
    .addHelpText('after', () => `\n${COMMON_HELP}\n\nSettings (environment variables):\n${settingsHelp()}`)
  const commands = [
    addDemoCommand,
    addServeCommand,
    addMigrateCommand,
    addStoresCommands,
    addKeysCommands,
    addMerchantsCommands,
    addAdminTokensCommands,
    addDirectoryTokensCommands,
    addSecretsCommands,
    addDoctorCommand,
    addStatusCommand,
  ]
  for (const addTo of commands) addTo(program, processContext)
  return program
}

/** The part of the help that applies to every command. */
export const COMMON_HELP = `Every command accepts --json. Results go to standard output, messages to standard error.
With --json, an error is one line on standard error: {"error": {"code": "...", "message": "..."}}.
Exit codes: 0 done, 1 failed or doctor found a problem, 2 wrong usage, 75 a database can't be reached or is out of resources. After 75, run the command again later.`

/** Reports an error of commander and returns the exit code. Without `json`, commander has already printed the error. */
function reportUsageError({ exitCode, code, message }: CommanderError, json: boolean): number {
  if (exitCode === 0) return EXIT_DONE
  if (json) {
    const reason =
      code === 'commander.help'
        ? 'a command is missing; add --help to see the commands'
        : message.replace(/^error: /, '')
    printJsonError({ code: 'usage', message: reason })
  }
  return EXIT_USAGE
}

function reportError(error: unknown, json: boolean): number {
  const explanation = explainError(error)
  if (explanation !== null) {
    const { code, message, exitCode } = explanation
    if (json) printJsonError({ code, message })
    else printMessage(`store-export: ${message}`)
    return exitCode
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (json) {
    printJsonError({ code: 'internal_error', message: 'internal error; please report it with the stack', stack })
  } else {
    printMessage('store-export: internal error; please report it with this stack:')
    printMessage(stack)
  }
  return EXIT_FAILED
}
