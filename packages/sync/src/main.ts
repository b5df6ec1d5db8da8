#!/usr/bin/env node
// Runs the command `store-sync`: connects the command line to the process.

import { promptForKey } from './cli/api-key.ts'
import { runCli } from './cli/cli.ts'
import { ignoreUndiciAssertion } from './cli/undici-assertion.ts'

ignoreUndiciAssertion()
const interrupted = new AbortController()
// A second signal of the same kind ends the process at once, because `once` has removed the listener.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(signal)))
const { stdin, stdout, stderr } = process
for (const stream of [stdout, stderr]) {
  // A reader such as `head` closes the pipe early. The command then stops without an error message.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(1)
  })
}
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  signal: interrupted.signal,
  prompt: stdin.isTTY && stderr.isTTY ? promptForKey : null,
  output: {
    writeMessage: (text) => void stderr.write(text),
    writeResult: (line) => void stdout.write(`${line}\n`),
    writeData: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    get columns() {
      return stderr.isTTY ? stderr.columns : null
    },
  },
})
