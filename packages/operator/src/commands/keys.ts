// `store-export keys`: the keys of stores. A key is shown once, when it is made.

import { randomBytes } from 'node:crypto'
import {
  createKey,
  type KeySummary,
  listKeys,
  listStores,
  type RegisteredStore,
  requireStore,
  revokeKey,
  UnknownStore,
} from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { print, printJson, printMessage, printTable } from '../output.ts'
import { UserError } from '../user-error.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'
import { type ReplayOptions, replay } from './replay-revocations.ts'

interface CreateOptions extends CommonOptions {
  readonly store: string
  readonly name: string
}

interface ListOptions extends CommonOptions {
  readonly store?: string
}

/** Adds the commands. */
export function addKeysCommands(program: Command, processContext: ProcessContext): void {
  const keys = addCommandGroup(program, 'keys', 'keys of stores: create, list, revoke')
  addCommand(keys, 'create', 'make a key; it is shown here and never again')
    .requiredOption('--store <id>', 'ID or external ID of the store it belongs to')
    .requiredOption('--name <text>', 'what it is for')
    .action((options: CreateOptions) => withControl(processContext, (context) => create(context, options)))
  addCommand(keys, 'list', 'the keys of a store, or of all')
    .option('--store <id>', 'only the store with this ID or external ID')
    .action((options: ListOptions) => withControl(processContext, (context) => list(context, options)))
  addCommand(keys, 'revoke', 'end a key, from the next request on')
    .argument('<key-id>', 'id of the key, as create and list show it')
    .action((keyId: string, options: CommonOptions) =>
      withControl(processContext, (context) => revoke(context, keyId, options)),
    )
  addReplayCommand(keys, processContext)
}

function addReplayCommand(keys: Command, processContext: ProcessContext): void {
  addCommand(
    keys,
    'replay-revocations',
    'after a restore, repeat the revocations and removals that the log of "serve" records',
  )
    .requiredOption('--from <file>', 'log of "serve" since the backup; - reads it from standard input')
    .action((options: ReplayOptions) => withControl(processContext, (context) => replay(context, options)))
}

async function create({ database }: CommandContext, options: CreateOptions): Promise<void> {
  const { id: storeId } = await requireStore(database, options.store)
  const { name } = options
  const made = await createKey({ database, storeId, name, createdBy: null, random: randomBytes })
  const key = made.key.reveal()
  if (options.json) return printJson({ id: made.id, key, store_id: made.storeId, name: made.name })
  printMessage(`Key "${made.name}" (id ${made.id}); it is shown here and never again:`)
  print(key)
}

async function list({ database }: CommandContext, { store, json }: ListOptions): Promise<void> {
  const stores = await listStores(database, { includeRemoved: store !== undefined })
  const isAsked = ({ id, externalId }: RegisteredStore) =>
    store === undefined || id === store.toLowerCase() || externalId === store
  const ids = stores.filter(isAsked).map(({ id }) => id)
  if (store !== undefined && ids.length === 0) throw new UnknownStore(store)
  const keys: KeySummary[] = []
  for (const storeId of ids) keys.push(...(await listKeys({ database, storeId })))
  if (json) return printJson({ keys: keys.map(describe) })
  printTable(
    ['key id', 'store', 'key', 'last used', 'state', 'name'],
    keys.map((key) => [
      key.id,
      key.storeId,
      `${key.prefix}…${key.lastFour}`,
      key.lastUsedAt === null ? 'never' : key.lastUsedAt.toISOString(),
      key.revokedAt === null ? 'active' : 'revoked',
      key.name,
    ]),
  )
}

async function revoke({ database }: CommandContext, keyId: string, { json }: CommonOptions): Promise<void> {
  const outcome = await revokeKey({ database, keyId })
  if (outcome === 'unknown') throw new UserError(`no key has the id ${JSON.stringify(keyId.slice(0, 64))}`)
  const id = keyId.toLowerCase()
  if (json) return printJson({ id, revoked: true, already: outcome === 'already revoked' })
  printMessage(outcome === 'revoked' ? 'Revoked; it is refused from the next request on:' : 'It was revoked before:')
  print(id)
}

function describe(key: KeySummary) {
  return {
    id: key.id,
    store_id: key.storeId,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    created_by: key.createdBy,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}
