// What all commands have in common: the option --json, and how texts become values.

import { findRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { ConnectionUrlProblem, splitPassword } from '@store-export/postgres'
import { type Command, InvalidArgumentError } from 'commander'
import { say } from '../output.ts'
import { UsageProblem } from '../problem.ts'

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: true
}

/** Adds a command to its parent. */
export function leaf(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print the result as JSON')
}

/** Adds a group of commands. */
export function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description)
}

/** The revision that the text names. */
export function parseRevision(text: string): RevisionId {
  const revision = findRevision(text)
  if (revision === null) throw new InvalidArgumentError(`Accepted: ${REVISIONS.map(({ id }) => id).join(', ')}.`)
  return revision
}

/**
 * The connection URL that an option gives; `-` reads it from the standard input. Warns of a password on the command line,
 * where other users of the machine and the shell's history see it.
 */
export async function readUrlOption(text: string): Promise<string> {
  const url = text === '-' ? await readStandardInput() : text
  try {
    if (splitPassword(url).password !== null && text !== '-') {
      say('a password on the command line is seen by others: give the URL on standard input with --database-url -')
    }
  } catch (error) {
    if (error instanceof ConnectionUrlProblem) throw new UsageProblem(`--database-url: ${error.message}`)
    throw error
  }
  return url
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) say('Type or paste the connection URL, then Enter and Ctrl-D:')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8').trim()
}
