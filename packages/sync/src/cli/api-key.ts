// Reads the API key from a variable, a file, or the terminal. The key is not an option, because other users of the
// machine can see the command line.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandLineError } from './command-line-error.ts'

/** Name of the environment variable that contains the key. */
export const KEY_VARIABLE = 'STORE_EXPORT_KEY'
/** Name of the environment variable that contains the path of a file with the key. */
export const KEY_FILE_VARIABLE = 'STORE_EXPORT_KEY_FILE'

/** Where the key can come from: the environment, and the person at the terminal. */
export interface ApiKeySources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prompts at the terminal without showing the input; null without a terminal. */
  readonly prompt: ((question: string) => Promise<string>) | null
}

/**
 * Returns the key, trimmed: from the variable, else from the key file, else from the prompt. An empty variable counts
 * as not set. A named key file rules out the prompt. Throws `CommandLineError` if no source has a key, or if the file
 * cannot be read.
 */
export async function readApiKey({ env, prompt }: ApiKeySources): Promise<string> {
  const fromVariable = env[KEY_VARIABLE]?.trim() ?? ''
  if (fromVariable !== '') return fromVariable
  const file = env[KEY_FILE_VARIABLE]?.trim() ?? ''
  const key = file === '' ? ((await prompt?.('API key of the store: ')) ?? '').trim() : readKeyFile(file)
  if (key !== '') return key
  throw new CommandLineError(
    `no API key; set ${KEY_VARIABLE} to a key of the store, or ${KEY_FILE_VARIABLE} to a file that contains one. ` +
      'Create a key in the dashboard under Settings > API',
  )
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new CommandLineError(
      `${KEY_FILE_VARIABLE}: cannot read the file (${error instanceof Error ? error.message : String(error)})`,
    )
  }
}

/**
 * Prompts at the terminal without showing the input. Ctrl-C ends the process with exit code 130. Ctrl-D returns an
 * empty string.
 */
export async function promptForKey(question: string): Promise<string> {
  const noOutput = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: noOutput, terminal: true })
  reader.once('SIGINT', () => process.exit(130))
  process.stderr.write(question)
  try {
    return await Promise.race([reader.question(''), once(reader, 'close').then(() => '')])
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}
