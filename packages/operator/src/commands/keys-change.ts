// Implements `store-export keys change`, which changes what an existing key may do.

import type { Scope } from '@store-export/contract'
import { type ChangeablePermissions, changePermissions } from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { print, printJson, printMessage } from '../output.ts'
import { UsageError } from '../user-error.ts'
import { addCommand, type CommonOptions } from './add-command.ts'
import { addScope, addValue, parseTime } from './option-values.ts'
import { unknownKey } from './unknown-key.ts'

interface ChangeOptions extends CommonOptions {
  readonly scope?: readonly Scope[]
  readonly allResources?: true
  readonly expires?: Date
  /** False with `--no-expiry`; otherwise true, commander's default. */
  readonly expiry: boolean
  readonly allow?: readonly string[]
  readonly allowEverywhere?: true
}

/** Adds the command `keys change`. */
export function addChangeCommand(keys: Command, processContext: ProcessContext): void {
  addCommand(
    keys,
    'change',
    'change the scopes, the end, or the allowed addresses of a key that is active or turned off, from the next request on. What you leave out does not change. To change whether a key gets personal data, create a new key.',
  )
    .argument('<key-id>', 'ID of the key, from create or list')
    .option(
      '--scope <scope>',
      'let the key read only the data of this scope, such as orders:read, in place of the earlier ones. Can be repeated.',
      addScope,
    )
    .option('--all-resources', 'remove the scopes, so that the key can read everything')
    .option('--expires <time>', 'reject the key from this time on, such as 2027-01-31T00:00:00Z', parseTime)
    .option('--no-expiry', 'let the key work until it is revoked')
    .option(
      '--allow <network>',
      'accept the key only from this address or network, such as 10.0.0.0/8, in place of the earlier ones. Can be repeated.',
      addValue,
    )
    .option('--allow-everywhere', 'accept the key from every address')
    .action((keyId: string, options: ChangeOptions) =>
      withControl(processContext, (context) => changeKey(context, keyId, options)),
    )
}

async function changeKey({ database }: CommandContext, keyId: string, options: ChangeOptions): Promise<void> {
  const change = changeOf(options)
  const outcome = await changePermissions({ database, keyId, change })
  // A key that is turned off counts as active here.
  if (outcome === 'unknown') throw unknownKey('active key', keyId)
  // The database accepts an ID in any case, and stores it in lowercase. The output has the stored form.
  const id = keyId.toLowerCase()
  const already = outcome === 'same'
  if (options.json) return printJson({ id, changed: true, already })
  printMessage(
    already ? 'The key has these permissions already:' : 'Changed. The next request has the new permissions:',
  )
  print(id)
}

/**
 * Returns the permissions that the options change. Null removes a limit. Throws `UsageError` if two of them contradict
 * each other, or if there are none.
 */
function changeOf(options: ChangeOptions): Partial<ChangeablePermissions> {
  const { scope, allResources, expires, expiry, allow, allowEverywhere } = options
  rejectBoth(['--scope', scope !== undefined], ['--all-resources', allResources === true])
  rejectBoth(['--expires', expires !== undefined], ['--no-expiry', !expiry])
  rejectBoth(['--allow', allow !== undefined], ['--allow-everywhere', allowEverywhere === true])
  const change = {
    ...(scope !== undefined || allResources ? { scopes: scope ?? null } : {}),
    ...(expires !== undefined || !expiry ? { expiresAt: expires ?? null } : {}),
    ...(allow !== undefined || allowEverywhere ? { allowedAddresses: allow ?? null } : {}),
  }
  if (Object.keys(change).length > 0) return change
  throw new UsageError(
    'nothing to change; add --scope, --all-resources, --expires, --no-expiry, --allow, or --allow-everywhere',
  )
}

type Given = readonly [name: string, isGiven: boolean]

/** Throws `UsageError` if both options are given. */
function rejectBoth([one, hasOne]: Given, [other, hasOther]: Given): void {
  if (hasOne && hasOther) throw new UsageError(`${one} and ${other} contradict each other; use one of them`)
}
