// Declares what requests and responses of the admin API contain. Validation, types, and the OpenAPI document follow
// from these declarations. The `description` of a schema says what it means.

import { LIMITS, REVISIONS, type RevisionId, SCOPES } from '@store-export/contract'
import {
  ADDRESSES_MAX,
  ALL_PERMISSIONS,
  CHOSEN_LINK_MINUTES,
  checkExternalId,
  checkKeyName,
  checkPermissions,
  checkSchemaName,
  checkStoreName,
  MEMBER_ROLES,
  parseEmail,
  REPLACED_KEY_HOURS,
} from '@store-export/control'
import { splitPassword } from '@store-export/postgres'
import * as z from 'zod'

// zod needs a type with at least one element.
const REVISION_IDS = REVISIONS.map(({ id }) => id) as [RevisionId, ...RevisionId[]]

/** Returns a string schema whose rule is a function that throws an error with the rule as its message. */
function checked(check: (text: string) => unknown): z.ZodString {
  return z.string().superRefine((text, context) => addError(context, () => check(text)))
}

/**
 * Adds the message of an error that `check` throws, without the name at its start, because the response names the field
 * itself.
 */
function addError(context: z.RefinementCtx, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    context.addIssue({ code: 'custom', message: message.replace(/^[a-zA-Z ]+: /, '') })
  }
}

const time = () => z.iso.datetime({ offset: true })
const storeName = checked(checkStoreName).meta({ minLength: 1, maxLength: 200, description: 'Name of the store.' })
const externalId = checked(checkExternalId).meta({
  minLength: 1,
  maxLength: 200,
  description: "The platform's own ID of the store. A second request with the same ID returns the existing store.",
})
const databaseUrl = checked(splitPassword).meta({
  description:
    'Connection URL of the store database with the password of the reader. Responses leave out the password.',
})
const schemaName = checked(checkSchemaName).meta({
  minLength: 1,
  maxLength: 63,
  description: 'Schema of the database that contains the tables of the store.',
})
const state = z.enum(['ready', 'generating']).meta({ description: 'The API serves only ready stores.' })
const revision = z.enum(REVISION_IDS).meta({ description: 'Schema version of a store database.' })
const twoFactorRequired = z.boolean().meta({
  description: 'Whether members need a second factor to open the store in the dashboard.',
})
const role = z.enum(MEMBER_ROLES).meta({
  description: 'An admin manages keys and members. A developer manages keys. A viewer sees keys and usage.',
})
const keyName = checked(checkKeyName).meta({
  minLength: 1,
  maxLength: 80,
  description: 'Name of the key, for example the tool that uses it.',
})
const expiresAt = time()
  .superRefine((end, context) => {
    const expires = { ...ALL_PERMISSIONS, expiresAt: new Date(end) }
    addError(context, () => checkPermissions(expires, new Date()))
  })
  .meta({ description: 'Time from which the API rejects the key; null for no end.' })

const permissions = {
  scopes: z
    .array(z.enum(SCOPES as [(typeof SCOPES)[number], ...(typeof SCOPES)[number][]]))
    .min(1)
    .nullable()
    .meta({ description: 'Resources that the key may read; null for all.' }),
  without_personal_data: z.boolean().meta({ description: 'Whether responses replace personal data.' }),
  expires_at: expiresAt.nullable(),
  allowed_addresses: z
    .array(z.string())
    .min(1)
    .max(ADDRESSES_MAX)
    .superRefine((allowedAddresses, context) =>
      addError(context, () => checkPermissions({ ...ALL_PERMISSIONS, allowedAddresses }, new Date())),
    )
    .nullable()
    .meta({ description: 'Addresses and networks from which the key works, such as 10.0.0.0/8; null for all.' }),
}

/** A key to create. */
export const newKey = z
  .strictObject({
    name: keyName,
    scopes: permissions.scopes.default(null),
    without_personal_data: permissions.without_personal_data.default(false),
    expires_at: permissions.expires_at.default(null),
    allowed_addresses: permissions.allowed_addresses.default(null),
  })
  .meta({ id: 'NewKey', description: 'A key to create.' })

/** A store to create: its database exists, will exist, or is created with `provision`. */
export const newStore = z
  .strictObject({
    name: storeName,
    external_id: externalId.nullable().default(null),
    origin: z
      .enum(['generated', 'imported'])
      .default('generated')
      .meta({ description: 'Origin of the store. An imported store has no database here.' }),
    state: state.default('ready'),
    database_url: databaseUrl.nullable().default(null),
    schema: schemaName.default('public'),
    provision: z.strictObject({ revision }).nullable().default(null).meta({
      description: 'Creates an empty database at this schema version, on the server of the control database.',
    }),
    keys: z
      .array(newKey)
      .max(LIMITS.activeKeysPerStore)
      .default([])
      .meta({ description: 'Keys to create with the store. A key whose name the store has already is not created.' }),
  })
  .superRefine(checkStore, { when: ({ value }) => typeof value === 'object' && value !== null })
  .meta({ id: 'NewStore', description: 'A store to create.' })

/** The members on which the rules of a store depend. Members that are not valid are undefined. */
interface StoreRules {
  readonly name: string
  readonly origin: string
  readonly state: string
  readonly database_url: string | null
  readonly schema: string
  readonly provision: object | null
  readonly keys: readonly { readonly name: string }[]
}

/** Checks the rules between members, also if a member is not valid, so that the response lists everything at once. */
function checkStore(store: Partial<StoreRules>, context: z.RefinementCtx): void {
  const issue = (field: string, message: string) => context.addIssue({ code: 'custom', message, path: [field] })
  const { provision = null, origin, database_url = null, schema, state, keys } = store
  if (provision !== null) {
    if (database_url !== null) issue('database_url', 'must be absent with provision, which creates the database')
    if (origin === 'imported') issue('origin', 'must be generated with provision; got imported')
    if (state === 'generating') issue('state', 'must be ready with provision; got generating')
    if (schema !== undefined && schema !== 'public') issue('schema', 'must be public with provision')
  } else if (database_url === null && origin === 'generated' && state === 'ready') {
    issue('database_url', 'missing; a ready store needs database_url or provision, or set state to generating')
  }
  // A key that is not valid has an error of its own.
  const names = Array.isArray(keys)
    ? keys.flatMap((key) => (typeof key?.name === 'string' ? [key.name.trim().normalize('NFC')] : []))
    : []
  if (new Set(names).size < names.length) issue('keys', 'must have different names')
}

const storeChanges = {
  name: storeName.optional(),
  state: state.optional(),
  database_url: databaseUrl.optional(),
  schema: schemaName.optional(),
  two_factor_required: twoFactorRequired.optional(),
}

/** Changes of a store. */
export const storeChange = z
  .strictObject(storeChanges)
  .superRefine(requireOneOf(storeChanges))
  .meta({ id: 'StoreChange', description: 'Changes of a store. An absent member stays unchanged.' })

const keyChanges = {
  name: keyName.optional(),
  state: z.enum(['active', 'off']).optional().meta({ description: 'The API rejects a key that is off.' }),
  scopes: permissions.scopes.optional(),
  expires_at: permissions.expires_at.optional(),
  allowed_addresses: permissions.allowed_addresses.optional(),
}

/** Changes of a key. */
export const keyChange = z
  .strictObject(keyChanges)
  .superRefine(requireOneOf(keyChanges))
  .meta({ id: 'KeyChange', description: 'Changes of a key. An absent member stays unchanged.' })

/** Returns a check that a change has at least one of these members. */
function requireOneOf(members: object): (change: object, context: z.RefinementCtx) => void {
  const names = Object.keys(members)
  const message = `must have at least one of ${names.join(', ')}`
  return (change, context) => {
    // A line of a batch has the store as a further member.
    if (Object.entries(change).every(([name, value]) => value === undefined || !names.includes(name)))
      context.addIssue({ code: 'custom', message, path: [] })
  }
}

/** How a key is replaced. */
export const keyReplacement = z
  .strictObject({
    name: keyName.optional().meta({ description: 'Name of the new key. Default: the name of the replaced key.' }),
    without_personal_data: permissions.without_personal_data.optional().meta({
      description: 'Whether responses replace personal data. Default: like the replaced key.',
    }),
    expires_at: permissions.expires_at.default(null),
    ends_after_hours: z
      .literal([...REPLACED_KEY_HOURS])
      .default(24)
      .meta({
        description: 'Hours from the first use of the new key to the end of the replaced key. 0 ends it at once.',
      }),
  })
  .meta({ id: 'KeyReplacement', description: 'How a key is replaced.' })

export const upgradeRequest = z
  .strictObject({
    to: revision,
    database_url: databaseUrl.nullable().default(null).meta({
      description: "The owner's connection URL, for a database on another server than the control database.",
    }),
  })
  .meta({ id: 'UpgradeRequest', description: 'The schema version to reach.' })

export const memberChange = z.strictObject({ role }).meta({ id: 'MemberChange', description: 'The role of a member.' })

const MINUTES_RULE = `must be a whole number from ${CHOSEN_LINK_MINUTES.min} to ${CHOSEN_LINK_MINUTES.max}`

export const signInLinkRequest = z
  .strictObject({
    minutes: z
      .int({ error: MINUTES_RULE })
      .min(CHOSEN_LINK_MINUTES.min, { error: MINUTES_RULE })
      .max(CHOSEN_LINK_MINUTES.max, { error: MINUTES_RULE })
      .optional()
      .meta({ description: 'Minutes for which the link works. Default: `STORE_EXPORT_LINK_MINUTES`.' }),
  })
  .meta({ id: 'SignInLinkRequest', description: 'How long a sign-in link works.' })

/** The email address in a path, in lower case. */
export const emailParameter = checked(parseEmail).transform(parseEmail)

const storeMembers = {
  id: z.guid(),
  external_id: z.string().nullable(),
  name: z.string(),
  origin: z.enum(['generated', 'imported']),
  state,
  database_url: z.string().nullable().meta({ description: 'Connection URL without the password.' }),
  schema: z.string(),
  two_factor_required: twoFactorRequired,
  created_at: time(),
}

export const store = z.object(storeMembers).meta({ id: 'Store', description: 'A registered store.' })

export const createdStore = z
  .object({
    ...storeMembers,
    created: z.boolean().meta({ description: 'Whether this request created the store.' }),
    revision: revision.nullable().meta({ description: 'Schema version of a provisioned database; null without one.' }),
    owner_url: z.string().nullable().meta({
      description: 'Connection URL with which the platform writes. Only the creation of a database returns it.',
    }),
    reader_url: z.string().nullable().meta({
      description: 'Connection URL for reading. Only the creation of a database returns it.',
    }),
    keys: z.array(
      z.object({
        id: z.guid(),
        name: z.string(),
        key: z.string().nullable().meta({ description: 'Text of the key; null if the key existed already.' }),
        created: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'CreatedStore', description: 'A store that was created, or that existed already.' })

const keyMembers = {
  id: z.guid(),
  store_id: z.guid(),
  name: z.string(),
  ...permissions,
  scopes: z.array(z.string()).nullable(),
}

export const key = z
  .object({
    ...keyMembers,
    prefix: z.string().meta({ description: 'First characters of the key.' }),
    last_four: z.string(),
    created_by: z.string().nullable().meta({ description: 'Email address of the merchant who created the key.' }),
    created_at: time(),
    last_used_at: time().nullable(),
    revoked_at: time().nullable(),
    turned_off_at: time().nullable(),
    state: z.enum(['active', 'off', 'expired', 'revoked']),
    retires_at: time().nullable().meta({ description: 'End of a replaced key.' }),
  })
  .meta({ id: 'Key', description: 'An API key, without the secret itself.' })

export const createdKey = z
  .object({ ...keyMembers, key: z.string().meta({ description: 'Text of the key. No other response contains it.' }) })
  .meta({ id: 'CreatedKey', description: 'A created key.' })

export const keyList = z.object({ data: z.array(key) }).meta({ id: 'KeyList', description: 'The keys of a store.' })

export const revokedKey = z
  .object({ id: z.guid(), revoked: z.literal(true), already: z.boolean() })
  .meta({ id: 'RevokedKey', description: 'A revoked key. `already` says that it was revoked before.' })

export const storePage = z
  .object({ data: z.array(store), next_cursor: z.string().nullable() })
  .meta({ id: 'StorePage', description: 'A page of stores. `next_cursor` is null on the last page.' })

export const removedStore = z
  .object({ id: z.guid(), removed: z.literal(true), already: z.boolean(), keys_revoked: z.int() })
  .meta({ id: 'RemovedStore', description: 'A removed store. `already` says that it was removed before.' })

export const upgradedStore = z
  .object({
    id: z.guid(),
    revision,
    applied: z.array(revision),
    repaired: z.array(z.string()),
    admin_sql: z.string().nullable().meta({ description: 'SQL that an administrator of the server must run.' }),
  })
  .meta({ id: 'UpgradedStore', description: 'What an upgrade changed.' })

export const storeHealth = z
  .object({
    id: z.guid(),
    name: z.string(),
    ok: z.boolean().meta({ description: 'Whether there is no error and no warning.' }),
    revision: revision.nullable(),
    findings: z.array(
      z.object({
        severity: z.enum(['error', 'warning', 'note']),
        code: z.string(),
        message: z.string(),
        fix: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'StoreHealth', description: 'What `store-export doctor` finds.' })

const sums = {
  key_id: z.guid(),
  successful: z.int(),
  client_errors: z.int(),
  rejected: z.int().meta({ description: 'Requests over the limit of the key.' }),
  failed: z.int(),
}

export const usage = z
  .object({
    store_id: z.guid(),
    since: time(),
    keys: z.array(z.object(sums)).meta({ description: 'Sums of each key.' }),
    hours: z.array(z.object({ hour: time(), ...sums })).meta({
      description: 'Sums of each key and hour. Older usage is stored by UTC day.',
    }),
  })
  .meta({ id: 'Usage', description: 'Requests to the export API.' })

export const member = z
  .object({
    merchant_id: z.string(),
    email: z.string(),
    role,
    since: time(),
    has_password: z.boolean(),
    has_two_factor: z.boolean(),
    has_single_sign_on: z.boolean(),
    has_passkey: z.boolean(),
  })
  .meta({ id: 'Member', description: 'A person who sees a store in the dashboard.' })

export const memberList = z
  .object({ data: z.array(member) })
  .meta({ id: 'MemberList', description: 'Members of a store.' })

export const setMemberResult = z
  .object({
    merchant_id: z.string(),
    email: z.string(),
    store_id: z.guid(),
    role,
    created: z.boolean().meta({ description: 'Whether the account was created.' }),
  })
  .meta({ id: 'SetMember', description: 'A member after a change.' })

const leftStores = {
  stores_left_alone: z.array(z.guid()).meta({ description: 'Stores that have no member now.' }),
  stores_without_admin: z.array(z.guid()).meta({ description: 'Stores that have members, but no admin now.' }),
}

export const removedMember = z
  .object({ email: z.string(), store_id: z.guid(), removed: z.literal(true), already: z.boolean(), ...leftStores })
  .meta({ id: 'RemovedMember', description: 'A removed member. `already` says that the person was no member.' })

export const removedMerchant = z
  .object({ email: z.string(), removed: z.literal(true), ...leftStores })
  .meta({ id: 'RemovedMerchant', description: 'A removed account.' })

export const signInLink = z
  .object({ url: z.string(), expires_at: time() })
  .meta({ id: 'SignInLink', description: 'A link that signs in once.' })

export const auditPage = z
  .object({
    data: z.array(
      z.object({
        id: z.guid(),
        at: z.string().meta({ format: 'date-time' }),
        actor: z.string(),
        action: z.string(),
        store_id: z.guid().nullable(),
        key_id: z.guid().nullable(),
        merchant_id: z.string().nullable(),
        details: z.record(z.string(), z.unknown()),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'AuditPage', description: 'A page of changes, oldest first. `next_cursor` is null on the last page.' })

export const problem = z
  .object({
    type: z.string().meta({ description: 'Path of the section about the problem in the documentation.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'What is wrong with the request, at most 100 errors.' }),
  })
  .meta({ id: 'Problem', description: 'A problem in the form of RFC 9457.' })
