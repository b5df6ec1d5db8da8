// Implements `store-export keys`. Of its commands, only `keys create` prints a key itself, because the control database
// stores only its hash. The key or its ID is alone on standard output, so that a script can read it.

import { randomBytes } from 'node:crypto'
import type { Scope } from '@store-export/contract'
import {
  type ControlDatabase,
  createKey,
  endOfKey,
  type KeyPermissions,
  type KeySummary,
  keyJson,
  keyState,
  listKeys,
  listKeysOfAllStores,
  listStores,
  permissionsJson,
  renameKey,
  requireStore,
  revokeKey,
  switchKey,
  UnknownStore,
} from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { print, printJson, printMessage, printTable } from '../output.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'
import { addChangeCommand } from './keys-change.ts'
import { addScope, addValue, parseTime } from './option-values.ts'
import { type ReplayOptions, replay } from './replay-revocations.ts'
import { unknownKey } from './unknown-key.ts'

/**
 * The options of `keys create`. Without `scope`, the key reads everything. Without `expires`, it has no end. Without
 * `allow`, it works from every address.
 */
interface CreateOptions extends CommonOptions {
  readonly store: string
  readonly name: string
  readonly scope?: readonly Scope[]
  readonly withoutPersonalData?: true
  readonly expires?: Date
  readonly allow?: readonly string[]
}

interface RenameOptions extends CommonOptions {
  readonly name: string
}

interface ListOptions extends CommonOptions {
  readonly store?: string
}

export function addKeysCommands(program: Command, processContext: ProcessContext): void {
  const keys = addCommandGroup(program, 'keys', 'create, list, turn off, and revoke API keys')
  addCommand(
    keys,
    'create',
    'create an API key and print it once. No command shows it again. A store can have five keys, including those that are turned off.',
  )
    .requiredOption('--store <id>', 'ID or external ID of the store')
    .requiredOption('--name <text>', 'name of the key, for example the tool that uses it')
    .option(
      '--scope <scope>',
      'let the key read only the data of this scope, such as orders:read. Can be repeated.',
      addScope,
    )
    .option(
      '--without-personal-data',
      'replace names, addresses, and other personal data in responses. You cannot change this later.',
    )
    .option(
      '--expires <time>',
      'reject the key from this time on, such as 2027-01-31T00:00:00Z. Default: never.',
      parseTime,
    )
    .option(
      '--allow <network>',
      'accept the key only from this address or network, such as 10.0.0.0/8. Can be repeated.',
      addValue,
    )
    .action((options: CreateOptions) => withControl(processContext, (context) => create(context, options)))
  addCommand(keys, 'list', 'list the keys of all stores')
    .option('--store <id>', 'list only the keys of the store with this ID or external ID')
    .action((options: ListOptions) => withControl(processContext, (context) => list(context, options)))
  addCommand(keys, 'rename', 'change the name of a key that is active or turned off')
    .argument('<key-id>', 'ID of the key, from create or list')
    .requiredOption('--name <text>', 'new name')
    .action((keyId: string, options: RenameOptions) =>
      withControl(processContext, (context) => rename(context, keyId, options)),
    )
  addChangeCommand(keys, processContext)
  addSwitchCommands(keys, processContext)
  addCommand(keys, 'revoke', 'revoke a key. The API rejects it from the next request on.')
    .argument('<key-id>', 'ID of the key, from create or list')
    .action((keyId: string, options: CommonOptions) =>
      withControl(processContext, (context) => revoke(context, keyId, options)),
    )
  addReplayCommand(keys, processContext)
}

function addSwitchCommands(keys: Command, processContext: ProcessContext): void {
  const summaries = {
    off: 'turn a key off. The API rejects it until you turn it on.',
    on: 'turn a key on again. The API accepts it from the next request on.',
  }
  for (const to of ['off', 'on'] as const)
    addCommand(keys, `turn-${to}`, summaries[to])
      .argument('<key-id>', 'ID of the key, from create or list')
      .action((keyId: string, options: CommonOptions) =>
        withControl(processContext, (context) => turn(context, { keyId, to }, options)),
      )
}

function addReplayCommand(keys: Command, processContext: ProcessContext): void {
  addCommand(
    keys,
    'replay-revocations',
    'after a restore of the control database, repeat the revocations and removals that the log of "serve" contains',
  )
    .requiredOption(
      '--from <file>',
      'file with the log of "serve" since the backup, or - to read it from standard input',
    )
    .action((options: ReplayOptions) => withControl(processContext, (context) => replay(context, options)))
}

async function create({ database, config: { keyPrefix } }: CommandContext, options: CreateOptions): Promise<void> {
  const { id: storeId } = await requireStore(database, options.store)
  const { name } = options
  const permissions: KeyPermissions = {
    scopes: options.scope ?? null,
    withoutPersonalData: options.withoutPersonalData ?? false,
    expiresAt: options.expires ?? null,
    allowedAddresses: options.allow ?? null,
  }
  const created = await createKey({
    ...{ database, storeId, name, permissions, keyPrefix },
    // Only a key of the dashboard has a creator: the email address of the account.
    createdBy: null,
    random: randomBytes,
  })
  const key = created.key.reveal()
  if (options.json)
    return printJson({
      ...{ id: created.id, key, store_id: created.storeId, name: created.name },
      ...permissionsJson(created.permissions),
    })
  printMessage(`Created the key "${created.name}" (ID ${created.id}). Copy it now, because it is never shown again:`)
  print(key)
}

async function list({ database }: CommandContext, { store, json }: ListOptions): Promise<void> {
  const keys = store === undefined ? await listKeysOfAllStores(database) : await keysOf(database, store)
  if (json) return printJson({ keys: keys.map(keyJson) })
  printTable(
    ['key id', 'store', 'key', 'last used', 'state', 'may read', 'expires', 'allowed from', 'name'],
    keys.map((key) => [
      key.id,
      key.storeId,
      `${key.prefix}…${key.lastFour}`,
      key.lastUsedAt === null ? 'never' : key.lastUsedAt.toISOString(),
      keyState(key),
      `${key.scopes?.join(' ') ?? 'everything'}${key.withoutPersonalData ? ', without personal data' : ''}`,
      endOfKey(key)?.toISOString() ?? 'never',
      key.allowedAddresses?.join(' ') ?? 'everywhere',
      key.name,
    ]),
  )
}

/**
 * Returns the keys of the stores with this ID or external ID. Includes removed stores, so that their keys can still be
 * listed. A removed store and a current one can have the same external ID. Rejects with `UnknownStore` if no store has
 * it.
 */
async function keysOf(database: ControlDatabase, store: string): Promise<KeySummary[]> {
  const stores = (await listStores(database, { includeRemoved: true })).filter(
    ({ id, externalId }) => id === store.toLowerCase() || externalId === store,
  )
  if (stores.length === 0) throw new UnknownStore(store)
  const keys: KeySummary[] = []
  for (const { id } of stores) keys.push(...(await listKeys({ database, storeId: id })))
  return keys
}

async function rename({ database }: CommandContext, keyId: string, { name, json }: RenameOptions): Promise<void> {
  // A key that is turned off counts as active here.
  if (!(await renameKey({ database, keyId, name }))) throw unknownKey('active key', keyId)
  // The database accepts an ID in any case, and stores it in lowercase. The output has the stored form.
  const id = keyId.toLowerCase()
  if (json) return printJson({ id, renamed: true })
  printMessage('Renamed:')
  print(id)
}

async function turn(
  { database }: CommandContext,
  { keyId, to }: { readonly keyId: string; readonly to: 'off' | 'on' },
  { json }: CommonOptions,
): Promise<void> {
  const outcome = await switchKey({ database, keyId, to })
  // A key that is turned off counts as active here.
  if (outcome === 'unknown') throw unknownKey('active key', keyId)
  // As in `rename`, the output has the stored form of the ID.
  const id = keyId.toLowerCase()
  const already = outcome === 'already'
  if (json) return printJson({ id, state: to === 'off' ? 'off' : 'active', already })
  const effect = to === 'off' ? 'The API rejects this key' : 'The API accepts this key'
  printMessage(already ? `Already turned ${to}:` : `Turned ${to}. ${effect} from the next request on:`)
  print(id)
}

async function revoke({ database }: CommandContext, keyId: string, { json }: CommonOptions): Promise<void> {
  const outcome = await revokeKey({ database, keyId })
  if (outcome === 'unknown') throw unknownKey('key', keyId)
  // As in `rename`, the output has the stored form of the ID.
  const id = keyId.toLowerCase()
  if (json) return printJson({ id, revoked: true, already: outcome === 'already revoked' })
  printMessage(
    outcome === 'revoked' ? 'Revoked. The API rejects this key from the next request on:' : 'Already revoked:',
  )
  print(id)
}
