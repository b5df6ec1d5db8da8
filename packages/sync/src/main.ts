#!/usr/bin/env node
// The command `store-sync`: hands the process's words, streams and signals to the command line.

import { runCli } from './cli/cli.ts'
import { outliveFetchFault } from './cli/fetch-fault.ts'
import { askAtTerminal } from './cli/key.ts'

outliveFetchFault()
const gone = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => gone.abort(new Error(signal)))
const { stdin, stdout, stderr } = process
for (const stream of [stdout, stderr]) {
  // a reader that went away, as `head` does, hears of nothing any more: no fault of ours, and no run that was done
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(1)
  })
}
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  signal: gone.signal,
  ask: stdin.isTTY && stderr.isTTY ? askAtTerminal : null,
  output: {
    say: (text) => void stderr.write(text),
    print: (line) => void stdout.write(`${line}\n`),
    get columns() {
      return stderr.isTTY ? stderr.columns : null
    },
  },
})
