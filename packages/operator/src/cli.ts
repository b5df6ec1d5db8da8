// The command line: which commands there are, and what is said when one fails. What each does is in commands/.

import { settingsHelp } from '@store-export/engine'
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addMerchantsCommands } from './commands/merchants.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addSecretsCommands } from './commands/secrets.ts'
import { addServeCommand } from './commands/serve.ts'
import { addStoresCommands } from './commands/stores.ts'
import type { Surroundings } from './context.ts'
import { say } from './output.ts'
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, explain } from './problem.ts'

/** Runs one command; resolves to the code to end with. A service that was started goes on running. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await createProgram(surroundings).parseAsync([...words], { from: 'user' })
    // A command may have failed in what it reports, as doctor does.
    return typeof process.exitCode === 'number' ? process.exitCode : EXIT_DONE
  } catch (error) {
    // commander has said it already
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_USAGE
    return complain(error)
  }
}

function createProgram(surroundings: Surroundings): Command {
  const program = new Command('store-export')
    .description('Read-only export of the data of every store on a platform.')
    .version(manifest.version)
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', () => `\n${exitHelp}\n\nSettings, from the environment:\n${settingsHelp()}`)
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
  for (const addCommand of add) addCommand(program, surroundings)
  return program
}

const exitHelp = `Every command takes --json. Results go to standard output, words to standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage.`

function complain(error: unknown): number {
  const explanation = explain(error)
  if (explanation !== null) {
    say(`store-export: ${explanation.sentence}`)
    return explanation.exitCode
  }
  say('store-export: this is a bug, please report it with what follows:')
  say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return EXIT_FAILED
}
