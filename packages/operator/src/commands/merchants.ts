// Implements `store-export merchants`, which manages dashboard accounts and creates their sign-in links. A merchant is
// a person with an account. A member of a store is a merchant who sees the store.

import path from 'node:path'
import {
  InvalidEmailError,
  listMerchants,
  type MemberRole,
  parseEmail,
  removeMembership,
  removeMerchant,
  removePasskeys,
  requireStore,
  resetTwoFactor,
  setMember,
} from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { DATA_FOLDER, readSignIn } from '../demo/data-folder.ts'
import { createSignInLink } from '../operations/sign-in-link.ts'
import { countOf, print, printable, printJson, printMessage, printTable } from '../output.ts'
import { UsageError } from '../user-error.ts'
import { addCommand, addCommandGroup, type CommonOptions } from './add-command.ts'
import { parseLinkMinutes, parseRole } from './option-values.ts'

interface EmailOptions extends CommonOptions {
  readonly email: string
}

interface LinkOptions extends EmailOptions {
  readonly minutes?: number
}

interface StoreOptions extends EmailOptions {
  readonly store: string
}

interface AddOptions extends StoreOptions {
  readonly role?: MemberRole
}

interface RemoveOptions extends EmailOptions {
  readonly store?: string
}

const EMAIL_HELP = 'email address of the merchant'

export function addMerchantsCommands(program: Command, processContext: ProcessContext): void {
  const merchants = addCommandGroup(
    program,
    'merchants',
    'add, list, and remove dashboard accounts, and create sign-in links',
  )
  addCommand(
    merchants,
    'add',
    'give a merchant access to a store in the dashboard, and create the account if it does not exist',
  )
    .requiredOption('--email <address>', EMAIL_HELP)
    .requiredOption('--store <id>', 'ID or external ID of the store')
    .option(
      '--role <role>',
      'role in the store: admin, developer, or viewer. A developer can manage keys, but not members. A viewer can see keys and usage, but no data, and changes nothing. Default: the role that the merchant has in the store, otherwise admin.',
      parseRole,
    )
    .action((options: AddOptions) => withControl(processContext, (context) => add(context, options)))
  addCommand(merchants, 'link', 'create a link that signs a merchant in once')
    .requiredOption('--email <address>', EMAIL_HELP)
    .option(
      '--minutes <number>',
      'time for which the link works, from 1 to 60 minutes. Without this option, STORE_EXPORT_LINK_MINUTES applies, by default a day.',
      parseLinkMinutes,
    )
    .action((options: LinkOptions) => withControl(processContext, (context) => link(context, processContext, options)))
  addCommand(
    merchants,
    'list',
    'list the dashboard accounts and the number of their stores. --json lists the store IDs and the roles.',
  ).action((options: CommonOptions) => withControl(processContext, (context) => list(context, options)))
  addCommand(
    merchants,
    'reset-two-factor',
    'turn off two-factor sign-in for a merchant who lost the phone and the recovery codes',
  )
    .requiredOption('--email <address>', EMAIL_HELP)
    .action((options: EmailOptions) => withControl(processContext, (context) => resetSecondFactor(context, options)))
  addCommand(
    merchants,
    'remove-passkeys',
    'remove all passkeys of a merchant who can no longer use them, and end all sessions of the account',
  )
    .requiredOption('--email <address>', EMAIL_HELP)
    .action((options: EmailOptions) => withControl(processContext, (context) => removeAllPasskeys(context, options)))
  addCommand(
    merchants,
    'remove',
    'remove a dashboard account, or its access to one store. Keys that the merchant created continue to work.',
  )
    .requiredOption('--email <address>', EMAIL_HELP)
    .option('--store <id>', 'remove only the access to the store with this ID or external ID, and keep the account')
    .action((options: RemoveOptions) => withControl(processContext, (context) => remove(context, options)))
}

async function add(context: CommandContext, { email, store, role: chosen, json }: AddOptions): Promise<void> {
  // An invalid email address is wrong usage, so the command checks it before the store.
  const address = readEmailOption(email)
  const { database, random } = context
  const { id: storeId } = await requireStore(database, store)
  const { id, isNew, role } = await setMember({ database, random, email: address, storeId, role: chosen })
  if (json) return printJson({ id, email: address, store_id: storeId, created: isNew, role })
  printMessage(`${isNew ? 'Created the account' : 'The account exists:'} ${address}. Its role in the store is ${role}.`)
  printMessage(`To create a sign-in link: store-export merchants link --email ${address}`)
  print(id)
}

async function link(
  context: CommandContext,
  processContext: ProcessContext,
  { email, minutes, json }: LinkOptions,
): Promise<void> {
  const url = await dashboardUrl(context, processContext)
  const request = { email: readEmailOption(email), url, minutes }
  const { url: address, expiresAt } = await createSignInLink(context, request)
  if (json) return printJson({ url: address, expires_at: expiresAt })
  printMessage(`This link signs ${email} in once. It expires at ${expiresAt.toISOString()}:`)
  print(address)
}

async function list({ database }: CommandContext, { json }: CommonOptions): Promise<void> {
  const merchants = await listMerchants(database)
  if (json) {
    const described = merchants.map(({ id, email, createdAt, stores }) => ({
      id,
      email,
      created_at: createdAt,
      store_ids: stores.map((store) => store.id),
      stores,
    }))
    return printJson({ merchants: described })
  }
  printTable(
    ['merchant id', 'created', 'stores', 'email'],
    merchants.map(({ id, createdAt, stores, email }) => [id, createdAt.toISOString(), String(stores.length), email]),
  )
}

async function resetSecondFactor({ database }: CommandContext, { email, json }: EmailOptions): Promise<void> {
  const reset = await resetTwoFactor(database, email)
  // The database finds the account by this form of the address, which also is the stored one.
  const address = email.trim().toLowerCase()
  if (json) return printJson({ email: address, reset })
  printMessage(
    reset
      ? `Turned off the two-factor sign-in of ${address}. The password alone signs in now.`
      : `${address} has no two-factor sign-in. Nothing changed.`,
  )
}

async function removeAllPasskeys({ database }: CommandContext, { email, json }: EmailOptions): Promise<void> {
  const passkeys = await removePasskeys(database, email)
  const address = email.trim().toLowerCase()
  if (json) return printJson({ email: address, passkeys_removed: passkeys })
  printMessage(`Removed ${countOf(passkeys, 'passkey')} of ${address}, and ended all sessions of the account.`)
}

async function remove(context: CommandContext, options: RemoveOptions): Promise<void> {
  const { database } = context
  const { email, json } = options
  if (options.store !== undefined) return removeFromStore(context, { ...options, store: options.store })
  const { storesLeftAlone, storesWithoutAdmin } = await removeMerchant(database, email)
  if (json) {
    const stores = { stores_left_alone: storesLeftAlone, stores_without_admin: storesWithoutAdmin }
    return printJson({ email: email.trim().toLowerCase(), removed: true, ...stores })
  }
  printMessage(
    'Removed the account. Keys that this merchant created keep working: revoke them with "store-export keys".',
  )
  for (const storeId of storesLeftAlone)
    printMessage(`No merchant has access to the store ${storeId} now; its usage was deleted.`)
  for (const storeId of storesWithoutAdmin) printMessage(withoutAdmin(storeId))
}

async function removeFromStore({ database }: CommandContext, { email, store, json }: StoreOptions): Promise<void> {
  const { id, name } = await requireStore(database, store)
  const { removed, isSeen, hasAdmin } = await removeMembership(database, email, id)
  const address = email.trim().toLowerCase()
  if (json) {
    const stores = { stores_left_alone: isSeen ? [] : [id], stores_without_admin: isSeen && !hasAdmin ? [id] : [] }
    return printJson({ email: address, store_id: id, removed: true, already: !removed, ...stores })
  }
  printMessage(`${address} ${removed ? 'no longer has' : 'had no'} access to "${printable(name)}".`)
  if (!isSeen) printMessage(`No merchant has access to the store ${id} now.`)
  else if (!hasAdmin) printMessage(withoutAdmin(id))
  printMessage('Keys that this merchant created keep working: revoke them with "store-export keys".')
}

/** Returns the message for a store that has members, but no admin. Its members can't change that. */
function withoutAdmin(storeId: string): string {
  return `No admin has access to the store ${storeId} now; add one with "store-export merchants add --role admin".`
}

/**
 * Returns the address of the dashboard for sign-in links: from the settings; otherwise from the demo, if the command
 * uses its control database; otherwise the dashboard's port on this machine.
 */
async function dashboardUrl({ config }: CommandContext, { folder }: ProcessContext): Promise<string> {
  if (config.dashboardUrl !== null) return new URL(config.dashboardUrl).origin
  const signIn = config.databaseUrl === null ? await readSignIn(path.join(folder, DATA_FOLDER)) : null
  return signIn?.url ?? `http://127.0.0.1:${config.dashboardPort}`
}

/** Returns the address in lower case. Throws `UsageError` for a string that is not an email address. */
function readEmailOption(email: string): string {
  try {
    return parseEmail(email)
  } catch (error) {
    if (error instanceof InvalidEmailError) throw new UsageError(`--email: ${error.message}`)
    throw error
  }
}
