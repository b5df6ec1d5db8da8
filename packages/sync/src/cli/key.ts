// Where the key comes from: a variable, a file, or somebody who types it. Never the command line, which others can see.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageProblem } from './usage.ts'

/** Variable that holds the key, and variable that names a file which does. */
export const KEY_VARIABLE = 'STORE_EXPORT_KEY'
export const KEY_FILE_VARIABLE = 'STORE_EXPORT_KEY_FILE'

/** Where a key may come from. */
export interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Asks whoever sits at the terminal, and shows nothing of the answer; null where nobody does. */
  readonly ask: ((question: string) => Promise<string>) | null
}

/** The key. Throws `UsageProblem` where there is none. */
export async function keyOf({ env, ask }: KeySources): Promise<string> {
  const given = env[KEY_VARIABLE]?.trim() ?? ''
  if (given !== '') return given
  const file = env[KEY_FILE_VARIABLE]?.trim() ?? ''
  const key = file === '' ? ((await ask?.('API key of the store: ')) ?? '').trim() : keyIn(file)
  if (key !== '') return key
  throw new UsageProblem(
    `the variable ${KEY_VARIABLE} must hold a key of the store, or ${KEY_FILE_VARIABLE} name a file that does; ` +
      'make one in its dashboard under Settings, API',
  )
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageProblem(
      `${KEY_FILE_VARIABLE}: the file cannot be read (${error instanceof Error ? error.message : String(error)})`,
    )
  }
}

/** Asks at the terminal; Ctrl-C ends the process as it does everywhere. */
export async function askAtTerminal(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  reader.once('SIGINT', () => process.exit(130))
  process.stderr.write(question)
  try {
    // Ctrl-D closes it without an answer
    return await Promise.race([reader.question(''), once(reader, 'close').then(() => '')])
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}
