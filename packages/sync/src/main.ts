#!/usr/bin/env node
// The command `store-sync`: hands the process's words, streams and signals to the command line.

import { runCli } from './cli/cli.ts'

const gone = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => gone.abort(new Error(signal)))
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  signal: gone.signal,
  output: {
    say: (text) => void process.stderr.write(text),
    print: (line) => void process.stdout.write(`${line}\n`),
    isTerminal: process.stderr.isTTY === true,
  },
})
