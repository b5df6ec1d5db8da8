// Parses the values of options. The error for a wrong value says which values are accepted. Commander adds the option
// and the value.

import {
  findRevision,
  formatTimestamp,
  parseDatetime,
  REVISIONS,
  type RevisionId,
  SCOPES,
  type Scope,
  TIMESTAMP_RULE,
} from '@store-export/contract'
import { CHOSEN_LINK_MINUTES, findMemberRole, MEMBER_ROLES, type MemberRole } from '@store-export/control'
import { InvalidUrlError, splitPassword } from '@store-export/postgres'
import { InvalidArgumentError } from 'commander'
import { printMessage } from '../output.ts'
import { UsageError } from '../user-error.ts'

/** Returns the schema version that the string names. Throws commander's `InvalidArgumentError` for any other string. */
export function parseRevision(text: string): RevisionId {
  const revision = findRevision(text)
  if (revision === null) throw new InvalidArgumentError(`Accepted: ${REVISIONS.map(({ id }) => id).join(', ')}.`)
  return revision
}

/**
 * Returns the time that the string names, cut to milliseconds. Throws commander's `InvalidArgumentError` for any other
 * string.
 */
export function parseTime(text: string): Date {
  const microseconds = parseDatetime(text)
  if (microseconds === null) throw new InvalidArgumentError(`Accepted: ${TIMESTAMP_RULE}.`)
  return new Date(formatTimestamp(microseconds))
}

/** Returns the role that the string names. Throws commander's `InvalidArgumentError` for any other string. */
export function parseRole(text: string): MemberRole {
  const role = findMemberRole(text)
  if (role === null) throw new InvalidArgumentError(`Accepted: ${MEMBER_ROLES.join(', ')}.`)
  return role
}

/** Returns the minutes for a sign-in link. Throws commander's `InvalidArgumentError` for any other string. */
export function parseLinkMinutes(text: string): number {
  const { min, max } = CHOSEN_LINK_MINUTES
  // 0 is below the minimum, so it stands for every other string.
  const minutes = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (minutes < min || minutes > max) throw new InvalidArgumentError(`Accepted: a whole number from ${min} to ${max}.`)
  return minutes
}

/** Adds a scope to those of earlier options. Throws commander's `InvalidArgumentError` for an unknown scope. */
export function addScope(text: string, earlier: readonly Scope[] = []): Scope[] {
  const scope = SCOPES.find((known) => known === text)
  if (scope === undefined) throw new InvalidArgumentError(`Accepted: ${SCOPES.join(', ')}.`)
  return [...earlier, scope]
}

/** Adds a value to those of earlier options, without a check. The command checks it. */
export function addValue(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text]
}

/**
 * Returns the connection URL of `--database-url`, with its password. For `-`, reads the URL from standard input, up to
 * its end. Warns if an argument contains a password. Rejects with `UsageError` if the URL is invalid.
 */
export async function readUrlOption(text: string): Promise<string> {
  const url = text === '-' ? await readStandardInput() : text
  try {
    if (splitPassword(url).password !== null && text !== '-') {
      printMessage(
        'warning: the shell history and other users of this machine can see a password on the command line; use ' +
          '"--database-url -" and pass the URL on standard input',
      )
    }
  } catch (error) {
    if (error instanceof InvalidUrlError) throw new UsageError(`--database-url: ${error.message}`)
    throw error
  }
  return url
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) printMessage('Type or paste the connection URL, then press Enter and Ctrl-D:')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8').trim()
}
