// Starts `store-export`: passes the arguments and the environment of the process to the command line.

import { runCli } from './cli.ts'
import { exitOnClosedPipe } from './output.ts'

exitOnClosedPipe()
process.exitCode = await runCli(process.argv.slice(2), { env: process.env, folder: process.cwd() })
