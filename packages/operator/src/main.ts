// The command `store-export`: reads its words and runs them. Nothing but the process is known here.

import { runCli } from './cli.ts'
import { endQuietlyWithoutReader } from './output.ts'

endQuietlyWithoutReader()
process.exitCode = await runCli(process.argv.slice(2), { env: process.env, folder: process.cwd() })
