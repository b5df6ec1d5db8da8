// Implements `store-export admin-tokens`, which manages the bearer tokens of the admin API. Only `admin-tokens create`
// prints the token itself, because the control database stores only its hash.

import { type AdminTokenSummary, createAdminToken, listAdminTokens, revokeAdminToken } from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { print, printJson, printMessage, printTable } from '../output.ts'
import { UserError } from '../user-error.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'
import { parseTime } from './option-values.ts'

interface CreateOptions extends CommonOptions {
  readonly name: string
  readonly expires?: Date
}

export function addAdminTokensCommands(program: Command, processContext: ProcessContext): void {
  const tokens = addCommandGroup(program, 'admin-tokens', 'create, list, and revoke tokens of the admin API')
  addCommand(tokens, 'create', 'create a token for the admin API and print it once. No command shows it again.')
    .requiredOption('--name <text>', 'name of the token, for example the program that uses it')
    .option(
      '--expires <time>',
      'reject the token from this time on, such as 2027-01-31T00:00:00Z. Default: never.',
      parseTime,
    )
    .action((options: CreateOptions) => withControl(processContext, (context) => create(context, options)))
  addCommand(tokens, 'list', 'list the tokens of the admin API').action((options: CommonOptions) =>
    withControl(processContext, (context) => list(context, options)),
  )
  addCommand(tokens, 'revoke', 'revoke a token of the admin API, from the next request on')
    .argument('<token-id>', 'ID of the token, from create or list')
    .action((id: string, options: CommonOptions) =>
      withControl(processContext, (context) => revoke(context, id, options)),
    )
}

async function create({ database, random }: CommandContext, options: CreateOptions): Promise<void> {
  const { name, expires: expiresAt = null, json } = options
  const created = await createAdminToken({ database, name, expiresAt, random })
  const token = created.token.reveal()
  if (json) return printJson({ id: created.id, token, name: created.name, expires_at: expiresAt })
  printMessage(`Created the token "${created.name}" (ID ${created.id}). Copy it now, because it is never shown again:`)
  print(token)
}

async function list({ database }: CommandContext, { json }: CommonOptions): Promise<void> {
  const tokens = await listAdminTokens(database)
  if (json) return printJson({ tokens: tokens.map(tokenJson) })
  printTable(
    ['token id', 'token', 'last used', 'state', 'expires', 'name'],
    tokens.map((token) => [
      token.id,
      `${token.prefix}…${token.lastFour}`,
      token.lastUsedAt?.toISOString() ?? 'never',
      stateOf(token),
      token.expiresAt?.toISOString() ?? 'never',
      token.name,
    ]),
  )
}

async function revoke({ database }: CommandContext, id: string, { json }: CommonOptions): Promise<void> {
  const outcome = await revokeAdminToken(database, id)
  if (outcome === 'unknown')
    throw new UserError(
      `no token has the ID ${JSON.stringify(id.slice(0, 64))}: "store-export admin-tokens list" shows the IDs`,
    )
  const already = outcome === 'already revoked'
  // The database accepts an ID in any case, and stores it in lowercase. The output has the stored form.
  if (json) return printJson({ id: id.toLowerCase(), revoked: true, already })
  printMessage(already ? 'Already revoked:' : 'Revoked. The admin API rejects this token from the next request on:')
  print(id.toLowerCase())
}

function tokenJson(token: AdminTokenSummary) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    last_four: token.lastFour,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    state: stateOf(token),
  }
}

/** Returns the state of a token now, by the clock of this machine. */
function stateOf({ revokedAt, expiresAt }: AdminTokenSummary): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= new Date() ? 'expired' : 'active'
}
