// Implements `store-export directory-tokens`, which manages the tokens of companies' directories. With such a token, a
// directory, such as Okta, adds and removes members of a store by SCIM. Only `directory-tokens create` prints the token
// itself, because the control database stores only its hash.

import { randomBytes } from 'node:crypto'
import {
  createDirectoryToken,
  type DirectoryToken,
  listDirectoryTokens,
  makeDirectoryToken,
  requireStore,
  revokeDirectoryToken,
} from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { print, printJson, printMessage, printTable } from '../output.ts'
import { UserError } from '../user-error.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'

interface CreateOptions extends CommonOptions {
  readonly store: string
}

interface ListOptions extends CommonOptions {
  readonly store?: string
}

export function addDirectoryTokensCommands(program: Command, processContext: ProcessContext): void {
  const tokens = addCommandGroup(
    program,
    'directory-tokens',
    "create, list, and revoke the tokens with which a company's directory, such as Okta, manages the members of a store by SCIM",
  )
  addCommand(
    tokens,
    'create',
    "create a token with which a company's directory, such as Okta, manages the members of a store by SCIM, and print it once. A store can have two active tokens.",
  )
    .requiredOption('--store <id>', 'ID or external ID of the store')
    .action((options: CreateOptions) => withControl(processContext, (context) => create(context, options)))
  addCommand(tokens, 'list', 'list the directory tokens of all stores')
    .option('--store <id>', 'list only the tokens of the store with this ID or external ID')
    .action((options: ListOptions) => withControl(processContext, (context) => list(context, options)))
  addCommand(tokens, 'revoke', 'revoke a directory token, from the next request on. The members of the store stay.')
    .argument('<token-id>', 'ID of the token, from create or list')
    .action((tokenId: string, options: CommonOptions) =>
      withControl(processContext, (context) => revoke(context, tokenId, options)),
    )
}

async function create({ database }: CommandContext, { store, json }: CreateOptions): Promise<void> {
  const { id: storeId } = await requireStore(database, store)
  const token = makeDirectoryToken(randomBytes)
  const id = await createDirectoryToken({ database, storeId, token, random: randomBytes })
  if (json) return printJson({ id, token: token.reveal(), store_id: storeId })
  printMessage(`Created the token ${id}. Copy it now, because it is never shown again:`)
  print(token.reveal())
}

async function list({ database }: CommandContext, { store, json }: ListOptions): Promise<void> {
  const chosen = store === undefined ? {} : { storeId: (await requireStore(database, store)).id }
  const tokens = await listDirectoryTokens({ database, ...chosen })
  if (json) return printJson({ tokens: tokens.map(describe) })
  printTable(
    ['token id', 'store', 'token', 'last used', 'state'],
    tokens.map((token) => [
      token.id,
      token.storeId,
      `${token.prefix}…${token.lastFour}`,
      token.lastUsedAt?.toISOString() ?? 'never',
      token.revokedAt === null ? 'active' : 'revoked',
    ]),
  )
}

async function revoke({ database }: CommandContext, tokenId: string, { json }: CommonOptions): Promise<void> {
  const outcome = await revokeDirectoryToken({ database, tokenId })
  if (outcome === 'unknown')
    throw new UserError(
      `no token has the ID ${JSON.stringify(tokenId.slice(0, 64))}: "store-export directory-tokens list" shows the IDs`,
    )
  // The database accepts an ID in any case, and stores it in lowercase. The output has the stored form.
  const id = tokenId.toLowerCase()
  if (json) return printJson({ id, revoked: true, already: outcome === 'already revoked' })
  printMessage(outcome === 'revoked' ? 'Revoked. The next request with this token is rejected:' : 'Already revoked:')
  print(id)
}

function describe({ id, storeId, prefix, lastFour, createdAt, lastUsedAt, revokedAt }: DirectoryToken) {
  return {
    id,
    store_id: storeId,
    prefix,
    last_four: lastFour,
    created_at: createdAt,
    last_used_at: lastUsedAt,
    revoked_at: revokedAt,
  }
}
