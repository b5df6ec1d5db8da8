// Implements `keys replay-revocations`: reads audit events from a log, and repeats those that took access away.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type RevocationEvent, replayRevocations } from '@store-export/control'
import type { CommandContext } from '../command-context.ts'
import { codeOf } from '../explain-error.ts'
import { countOf, printJson, printMessage } from '../output.ts'
import { UserError } from '../user-error.ts'
import type { CommonOptions } from './add-command.ts'

/** The options of `keys replay-revocations`. */
export interface ReplayOptions extends CommonOptions {
  /** Path of a log file; `-` for standard input. */
  readonly from: string
}

/**
 * JSON members in which log collectors store a line, such as `log` in files of Docker, and `MESSAGE` in the output of
 * journalctl.
 */
const LINE_MEMBERS = ['log', 'message', 'MESSAGE'] as const

/**
 * Repeats the events of the service's log that took access away, such as revocations and removals. A second run changes
 * nothing. Skips lines without an audit event. Rejects with `UserError` if the log cannot be read or has no audit
 * event.
 */
export async function replay({ database }: CommandContext, { from, json }: ReplayOptions): Promise<void> {
  const events = await readEvents(from)
  if (events.length === 0) {
    throw new UserError(`${from} contains no audit event; pass the log of "serve" at the level info or debug`)
  }
  const done = await replayRevocations(database, events)
  if (json) {
    printJson({
      events: done.events,
      keys_revoked: done.keysRevoked,
      keys_turned_off: done.keysTurnedOff,
      stores_removed: done.storesRemoved,
      merchants_removed: done.merchantsRemoved,
      memberships_removed: done.membershipsRemoved,
      roles_reduced: done.rolesReduced,
      invitations_withdrawn: done.invitationsWithdrawn,
      invitations_reduced: done.invitationsReduced,
      passkeys_removed: done.passkeysRemoved,
      two_factor_rules_enabled: done.twoFactorRulesEnabled,
      directory_tokens_revoked: done.directoryTokensRevoked,
      keys_to_compare: done.keysToCompare,
      admin_tokens_revoked: done.adminTokensRevoked,
      unchanged: done.unchanged,
    })
    return
  }
  printMessage(`Revoked ${countOf(done.keysRevoked, 'key')}, and turned off ${countOf(done.keysTurnedOff, 'key')}.`)
  printMessage(`Removed ${countOf(done.storesRemoved, 'store')} and ${countOf(done.merchantsRemoved, 'merchant')}.`)
  printMessage(`Removed the access of a merchant to a store: ${countOf(done.membershipsRemoved, 'time')}.`)
  printMessage(`Reduced the role of a member of a store: ${countOf(done.rolesReduced, 'time')}.`)
  printMessage(`Withdrew ${countOf(done.invitationsWithdrawn, 'invitation')}.`)
  printMessage(`Reduced the role of an invitation: ${countOf(done.invitationsReduced, 'time')}.`)
  printMessage(
    `Removed ${countOf(done.passkeysRemoved, 'passkey')}, and revoked ${countOf(done.adminTokensRevoked, 'admin token')}.`,
  )
  printMessage(`Required two-factor sign-in of a store again: ${countOf(done.twoFactorRulesEnabled, 'time')}.`)
  printMessage(`Revoked ${countOf(done.directoryTokensRevoked, 'directory token')}.`)
  if (done.keysToCompare.length > 0)
    printMessage(
      `The permissions of these keys changed after the backup. Check each key's permissions: ${done.keysToCompare.join(', ')}.`,
    )
  printMessage(`${done.unchanged} of ${countOf(done.events, 'event')} changed nothing.`)
}

async function readEvents(from: string): Promise<RevocationEvent[]> {
  const events: RevocationEvent[] = []
  try {
    const input = from === '-' ? process.stdin : createReadStream(from)
    // `crlfDelay`: CR and LF are one line end, even if they arrive apart.
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const event = eventOf(parse(line))
      if (event !== null) events.push(event)
    }
  } catch (error) {
    throw new UserError(
      `--from: cannot read ${JSON.stringify(from)} (${codeOf(error) ?? 'unreadable'}); check the path and its permissions`,
    )
  }
  return events
}

/** Returns the JSON of a line, which can have a prefix; null for a line without valid JSON. */
function parse(line: string): unknown {
  const start = line.indexOf('{')
  if (start < 0) return null
  try {
    return JSON.parse(line.slice(start))
  } catch {
    return null
  }
}

/** Returns the audit event of a parsed line, also if a log collector wrapped the line; null for anything else. */
function eventOf(value: unknown): RevocationEvent | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Record<string, unknown>
  if (fields.event === 'audit.recorded') return readEvent(fields)
  const wrapped = LINE_MEMBERS.map((name) => fields[name]).find((each) => typeof each === 'string')
  return typeof wrapped === 'string' ? eventOf(parse(wrapped)) : null
}

function readEvent({ action, at, ...ids }: Record<string, unknown>): RevocationEvent | null {
  if (typeof action !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return null
  const text = (id: unknown) => (typeof id === 'string' ? id : null)
  return {
    // `replayRevocations` ignores actions that it doesn't know.
    action: action as RevocationEvent['action'],
    at,
    storeId: text(ids.storeId),
    keyId: text(ids.keyId),
    merchantId: text(ids.merchantId),
    details: text(ids.details) ?? '{}',
  }
}
