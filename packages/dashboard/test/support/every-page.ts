// Every page of the dashboard in each of its states, with the steps to open it.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION, LIMITS } from '@store-export/contract'
import {
  addStore,
  createDirectoryToken,
  createKey,
  invite,
  makeDirectoryToken,
  revokeKey,
  switchKey,
} from '@store-export/control'
import { accountsOf, addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from '../../../api/test/support/filled-store.ts'
import { makeInvitationToken } from '../../src/members/invitation-token.ts'
import type { Texts } from '../../src/texts/en/english.ts'
import { localizationIn } from '../../src/texts/languages.ts'
import { appCode } from './app-code.ts'
import { type Page, type Scene, signIn } from './scene.ts'

export interface Shown {
  readonly scene: Scene
  /** The texts in the language of the pages. */
  readonly texts: Texts
  /** Has access to all stores. */
  readonly merchant: TestMerchant
  /** Has no password and signs in by link. */
  readonly guest: { readonly id: string; readonly email: string }
  /** Sees `full`, and changes nothing. */
  readonly viewer: TestMerchant
  /** Manages the keys of `full`, and no members. */
  readonly developer: TestMerchant
  /** Has rows, keys and usage. */
  readonly full: TestStore
  /** Has the first schema version and as many keys as possible. Most of them were not used for months. */
  readonly old: TestStore
  /** Has no rows and one key that was never used. */
  readonly empty: TestStore
  /** The ID of a store that is still being created. */
  readonly generating: string
  readonly imported: string
}

export interface EveryPage {
  readonly name: string
  readonly isSignedIn: boolean
  readonly open: (page: Page, shown: Shown) => Promise<unknown>
}

const SIZE = { orders: 60, customers: 10, products: 10, locations: 2, groups: 2 }

export async function showStores(scene: Scene): Promise<Shown> {
  const { platform } = scene
  const full = await filledStore(platform, LATEST_REVISION, SIZE)
  const old = await filledStore(platform, 'launch', SIZE)
  const empty = await platform.provision()
  const generating = await addEmptyStore(platform, 'generating')
  const imported = await addEmptyStore(platform, 'imported')
  for (let count = 1; count < LIMITS.activeKeysPerStore; count += 1) await platform.newKey(old.id)
  await platform.controlSql`
    update api_keys set created_at = now() - interval '400 days',
      last_used_at = case slot when 2 then now() - interval '94 days' when 3 then now() - interval '20 days' end
    where store_id = ${old.id} and slot > 1`
  await useKeys(platform, full)
  const merchant = await addMerchant(platform, full.id, old.id, empty.id, generating, imported)
  const guest = await (await accountsOf(platform)).addMerchant('guest@example.com', full.id)
  const viewer = await addMerchant(platform, full.id, empty.id)
  await platform.controlSql`update memberships set role = 'viewer' where merchant_id = ${viewer.id}`
  const developer = await addMerchant(platform, full.id)
  await platform.controlSql`update memberships set role = 'developer' where merchant_id = ${developer.id}`
  return {
    scene,
    texts: localizationIn('en').texts,
    merchant,
    guest,
    viewer,
    developer,
    full,
    old,
    empty,
    generating,
    imported,
  }
}

async function addEmptyStore(platform: TestPlatform, kind: 'generating' | 'imported'): Promise<string> {
  const { service, encryptionKey } = platform
  const context = { database: service.control, keys: { current: encryptionKey, previous: null }, random: randomBytes }
  const state =
    kind === 'imported'
      ? ({ origin: 'imported', state: 'ready' } as const)
      : ({ origin: 'generated', state: 'generating' } as const)
  const { id } = await addStore(context, { name: `A store that is ${kind}`, ...state, databaseUrl: null })
  await platform.newKey(id)
  return id
}

/** Creates a key that is being replaced, one that is off, a revoked one, 30 days of usage, and walks in all states. */
async function useKeys(platform: TestPlatform, { id: storeId, keyId, key }: TestStore): Promise<void> {
  const { control: database } = platform.service
  const make = (name: string, replaces?: { keyId: string; endsAfterHours: 24 }) =>
    createKey({
      database,
      random: randomBytes,
      storeId,
      name,
      createdBy: 'merchant@example.com',
      ...(replaces ? { replaces } : {}),
    })
  const revoked = await make('Stock sheet')
  await make('test', { keyId, endsAfterHours: 24 })
  await revokeKey({ database, storeId, keyId: revoked.id })
  const off = await make('Till')
  await switchKey({ database, storeId, keyId: off.id, to: 'off' })
  for (const used of [keyId, revoked.id])
    await platform.controlSql`
      insert into usage_hours (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
      select ${used}, date_trunc('hour', now()) - make_interval(hours => n * 5), n * 37, n % 7, n % 4, n % 3, 90
      from generate_series(0, 130) as n`
  for (const path of ['orders?limit=20', 'orders?limit=1000', 'orders/nowhere', 'products?limit=5', 'nothing'])
    await platform.get(`/api/v1/${path}`, key)
  const { json } = await platform.get('/api/v1/products?limit=5', key)
  await platform.get(`/api/v1/products?limit=5&cursor=${json.meta.next_cursor}`, key)
  await platform.controlSql`
    insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
    values (${keyId}, '/api/v1/customers', 'updated_since=2026-07-01T00:00:00Z', now() - interval '2 hours',
      now() - interval '1 hour', 3, 3, 750, false)`
}

/** Returns a page that opens under a path below `/stores/`. */
function storePage(name: string, path: (shown: Shown) => string): EveryPage {
  const open: EveryPage['open'] = (page, shown) => page.goto(`${shown.scene.url}/stores/${path(shown)}`)
  return { name, isSignedIn: true, open }
}

/** Returns a page that a member with fewer rights opens. */
function memberPage(role: 'developer' | 'viewer', name: string, path: (shown: Shown) => string): EveryPage {
  const open: EveryPage['open'] = async (page, shown) => {
    const { url, sessionOf } = shown.scene
    const { cookies } = await sessionOf(shown[role])
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
    await page.goto(`${url}/stores/${path(shown)}`)
  }
  return { name: `${name}, ${role}`, isSignedIn: false, open }
}

/** Invites a new person to a store. Returns the token of the link. */
async function inviteTo(scene: Scene, store: TestStore, { id: merchantId }: TestMerchant): Promise<string> {
  const { token, hash: tokenHash } = makeInvitationToken(randomBytes)
  const database = scene.platform.service.control
  await scene.platform.controlSql`delete from invitations where store_id = ${store.id}`
  await invite({ database, storeId: store.id, email: 'invited@example.com', role: 'admin', merchantId, tokenHash })
  return token
}

/** Signs in as a new merchant, and opens the page that sets up the second factor. */
async function setUpTwoFactor(page: Page, { scene, full, texts }: Shown): Promise<TestMerchant> {
  const merchant = await addMerchant(scene.platform, full.id)
  await page.goto(`${scene.url}/sign-in`)
  await signIn(page, merchant, texts)
  await page.goto(`${scene.url}/account`)
  await page.getByLabel(texts.twoFactor.password).fill(merchant.password)
  await page.getByRole('button', { name: texts.twoFactor.setUp.button }).click()
  await page.locator('.qr-code').waitFor()
  return merchant
}

/** Turns the second factor of a new merchant on, and stays on the page with the recovery codes. */
async function turnOnTwoFactor(page: Page, shown: Shown): Promise<TestMerchant> {
  const merchant = await setUpTwoFactor(page, shown)
  const secret = (await page.locator('#secret').textContent()) ?? ''
  await page.getByLabel(shown.texts.twoFactor.code, { exact: true }).fill(appCode(secret.replaceAll(' ', '')))
  await page.getByRole('button', { name: shown.texts.twoFactor.setUp.turnOn }).click()
  await page.locator('#codes').waitFor()
  return merchant
}

/** Returns the address at which browsers allow passkeys. */
const passkeyUrl = ({ url }: Scene) => url.replace('127.0.0.1', 'localhost')

/** Signs in as a new merchant with `count` passkeys, and opens the account page. */
async function openWithPasskeys(
  page: Page,
  { scene, full, texts }: Shown,
  count: number,
  openedBy: 'passkey' | null = 'passkey',
): Promise<void> {
  const merchant = await addMerchant(scene.platform, full.id)
  await scene.platform.controlSql`
    insert into merchant_passkeys
      (id, merchant_id, name, credential_id, public_key, counter, device_type, backed_up, created_at)
    select gen_random_uuid(), ${merchant.id}, 'Chrome ' || n, gen_random_uuid(), '', 0, 'singleDevice', false, now()
    from generate_series(1, ${count}) as n`
  await page.goto(`${passkeyUrl(scene)}/sign-in?next=/account`)
  await signIn(page, merchant, texts)
  await page.waitForURL('**/account')
  await scene.platform.controlSql`
    update merchant_sessions set opened_by = ${openedBy} where merchant_id = ${merchant.id}`
  await page.reload()
}

/** Creates two new tokens of the store `old`, and returns them. */
async function addDirectoryTokens({ scene, old }: Shown): Promise<readonly string[]> {
  const { service, controlSql } = scene.platform
  await controlSql`update directory_tokens set revoked_at = now() where store_id = ${old.id} and revoked_at is null`
  const tokens = [makeDirectoryToken(randomBytes), makeDirectoryToken(randomBytes)]
  const options = { database: service.control, storeId: old.id, random: randomBytes }
  for (const token of tokens) await createDirectoryToken({ ...options, token })
  return tokens.map((token) => token.reveal())
}

async function createKeyOn(page: Page, { scene, empty, texts }: Shown): Promise<void> {
  await page.goto(`${scene.url}/stores/${empty.id}/settings/api`)
  // Makes room for the new key.
  const sql = scene.platform.controlSql
  await sql`update api_keys set revoked_at = now() where store_id = ${empty.id} and id <> ${empty.keyId}`
  await page.getByLabel(texts.createKey.name).fill('Accounting')
  await page.getByRole('button', { name: texts.createKey.create }).click()
  await page.locator('#key').waitFor()
}

const LISTS = ['orders', 'customers', 'products', 'categories', 'locations', 'customer-groups']

/** Pages before the sign-in. */
const OUTSIDE: readonly EveryPage[] = [
  { name: 'sign-in', isSignedIn: false, open: (page, { scene }) => page.goto(`${scene.url}/sign-in`) },
  {
    name: 'sign-in rejected',
    isSignedIn: false,
    async open(page, { scene, texts }) {
      await page.goto(`${scene.url}/sign-in`)
      await signIn(page, { email: 'unknown@example.com', password: 'not this one' }, texts)
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'link', isSignedIn: false, open: (page, { scene }) => page.goto(`${scene.url}/link/any`) },
  {
    name: 'invitation',
    isSignedIn: false,
    async open(page, { scene, full, merchant }) {
      await page.goto(`${scene.url}/invitation/${await inviteTo(scene, full, merchant)}`)
    },
  },
  {
    name: 'invitation that was used',
    isSignedIn: false,
    open: (page, { scene }) => page.goto(`${scene.url}/invitation/any`),
  },
  { name: 'not found, signed out', isSignedIn: false, open: (page, { scene }) => page.goto(`${scene.url}/nowhere`) },
  {
    name: 'account without a password',
    isSignedIn: false,
    async open(page, { scene, guest, texts }) {
      const token = await (await accountsOf(scene.platform)).createSignInLink(guest.email)
      await page.goto(`${scene.url}/link/${token}`)
      await page.getByRole('button', { name: texts.signIn.button }).click()
      await page.goto(`${scene.url}/account`)
    },
  },
  {
    name: 'account without a password, signed in too long ago',
    isSignedIn: false,
    async open(page, { scene, guest, texts }) {
      const token = await (await accountsOf(scene.platform)).createSignInLink(guest.email)
      await page.goto(`${scene.url}/link/${token}`)
      await page.getByRole('button', { name: texts.signIn.button }).click()
      await scene.platform.controlSql`
        update merchant_sessions set created_at = now() - interval '1 hour' where merchant_id = ${guest.id}`
      await page.goto(`${scene.url}/account`)
    },
  },
]

const STORE_PAGES: readonly EveryPage[] = [
  storePage('general', ({ full }) => `${full.id}/settings/general`),
  storePage('general, older store', ({ old }) => `${old.id}/settings/general`),
  storePage('general, empty store', ({ empty }) => `${empty.id}/settings/general`),
  storePage('keys', ({ full }) => `${full.id}/settings/api`),
  storePage('keys, limit reached', ({ old }) => `${old.id}/settings/api`),
  storePage('keys, one never used', ({ empty }) => `${empty.id}/settings/api`),
  storePage('revoke', ({ full }) => `${full.id}/settings/api/keys/${full.keyId}/revoke`),
  storePage(
    'revoke because of the limit',
    ({ old }) => `${old.id}/settings/api/keys/${old.keyId}/revoke?for=${old.keyId}`,
  ),
  storePage('permissions', ({ full }) => `${full.id}/settings/api/keys/${full.keyId}/permissions`),
  {
    name: 'permissions of a limited key, rejected',
    isSignedIn: true,
    async open(page, { scene, empty, texts }) {
      const limits = { scopes: ['orders:read'], without_personal_data: true, expires_at: '2099-06-30T22:00:00Z' }
      await scene.platform.controlSql`
        update api_keys set ${scene.platform.controlSql(limits)} where id = ${empty.keyId}`
      await page.goto(`${scene.url}/stores/${empty.id}/settings/api/keys/${empty.keyId}/permissions`)
      await page.getByLabel(texts.createKey.addresses).fill('my office')
      await page.getByRole('button', { name: texts.changeKey.permissions.button }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  storePage('turn off', ({ full }) => `${full.id}/settings/api/keys/${full.keyId}/turn-off`),
  storePage('replace', ({ empty }) => `${empty.id}/settings/api/keys/${empty.keyId}/replace`),
  storePage('replace, limit reached', ({ old }) => `${old.id}/settings/api/keys/${old.keyId}/replace`),
  storePage('members', ({ full }) => `${full.id}/settings/members`),
  storePage('members, one', ({ empty }) => `${empty.id}/settings/members`),
  storePage('remove a member', ({ full, guest }) => `${full.id}/settings/members/${guest.id}/remove`),
  storePage('leave, last admin', ({ empty }) => `${empty.id}/settings/members/leave`),
  storePage('leave', ({ full }) => `${full.id}/settings/members/leave`),
  storePage('two-factor rule, own second factor missing', ({ full }) => `${full.id}/settings/members/two-factor`),
  storePage('directory', ({ full }) => `${full.id}/settings/members/directory`),
  {
    name: 'directory, new token',
    isSignedIn: true,
    async open(page, { scene, empty, texts }) {
      await scene.platform.controlSql`update directory_tokens set revoked_at = now() where store_id = ${empty.id}`
      await page.goto(`${scene.url}/stores/${empty.id}/settings/members/directory`)
      await page.getByRole('button', { name: texts.directory.create }).click()
      await page.locator('#token').waitFor()
    },
  },
  {
    name: 'directory, as many tokens as possible',
    isSignedIn: true,
    async open(page, shown) {
      await addDirectoryTokens(shown)
      await page.goto(`${shown.scene.url}/stores/${shown.old.id}/settings/members/directory`)
    },
  },
  {
    name: 'members from a directory',
    isSignedIn: true,
    async open(page, shown) {
      const [token] = await addDirectoryTokens(shown)
      const { scene, old } = shown
      await fetch(`${scene.url}/scim/v2/Users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify({ userName: 'from-the-directory@example.com', roles: [{ value: 'developer' }] }),
      })
      await page.goto(`${scene.url}/stores/${old.id}/settings/members`)
    },
  },
  {
    name: 'members, directory without an active token',
    isSignedIn: true,
    async open(page, shown) {
      await addDirectoryTokens(shown)
      const { scene, old } = shown
      await scene.platform.controlSql`
        update directory_tokens set revoked_at = now(), last_used_at = now() where store_id = ${old.id}`
      await page.goto(`${scene.url}/stores/${old.id}/settings/members`)
    },
  },
  {
    name: 'directory, revoking a token',
    isSignedIn: true,
    async open(page, shown) {
      await addDirectoryTokens(shown)
      await page.goto(`${shown.scene.url}/stores/${shown.old.id}/settings/members/directory`)
      await page.getByRole('link', { name: shown.texts.directory.revoke }).first().click()
      await page.waitForURL('**/revoke')
    },
  },
  storePage('role of a member', ({ full, guest }) => `${full.id}/settings/members/${guest.id}/role`),
  storePage('activity', ({ full }) => `${full.id}/settings/activity`),
  storePage('activity of the platform', ({ full }) => `${full.id}/settings/activity?by=platform&action=key.created`),
  storePage('activity, no matches', ({ full }) => `${full.id}/settings/activity?until=2026-01-01`),
  storePage('activity, invalid day', ({ full }) => `${full.id}/settings/activity?from=first`),
  storePage('usage', ({ full }) => `${full.id}/usage`),
  storePage('usage of one key by day', ({ full }) => `${full.id}/usage?key=${full.keyId}`),
  storePage('usage of 24 hours', ({ full }) => `${full.id}/usage?range=24h`),
  storePage('usage of 90 days', ({ full }) => `${full.id}/usage?range=90d`),
  {
    name: 'usage with the numbers of a bar',
    isSignedIn: true,
    async open(page, { scene, full }) {
      await page.goto(`${scene.url}/stores/${full.id}/usage`)
      await page.locator('.bar').last().focus()
    },
  },
  storePage('usage, none', ({ empty }) => `${empty.id}/usage`),
  storePage('requests of a key', ({ full }) => `${full.id}/usage/keys/${full.keyId}`),
  storePage('requests of a key, errors', ({ full }) => `${full.id}/usage/keys/${full.keyId}?show=errors`),
  storePage('requests of a key, invalid time', ({ full }) => `${full.id}/usage/keys/${full.keyId}?until=three`),
  storePage(
    'requests of a key, none before a time',
    ({ full }) => `${full.id}/usage/keys/${full.keyId}?until=2026-01-01T00:00`,
  ),
  {
    name: 'requests of a key that is off',
    isSignedIn: true,
    async open(page, { scene, full }) {
      const [key] = await scene.platform.controlSql`
        select id from api_keys where store_id = ${full.id} and turned_off_at is not null`
      await page.goto(`${scene.url}/stores/${full.id}/usage/keys/${key?.id}`)
    },
  },
  storePage('requests of a key, none', ({ empty }) => `${empty.id}/usage/keys/${empty.keyId}`),
  ...LISTS.map((list) => storePage(`data, ${list}`, ({ full }) => `${full.id}/data/${list}`)),
  storePage('data, no rows', ({ empty }) => `${empty.id}/data/orders`),
  storePage('data, missing list', ({ old }) => `${old.id}/data/customer-groups`),
  storePage('data, invalid search', ({ full }) => `${full.id}/data/orders?find=first`),
  storePage('data, not found', ({ full }) => `${full.id}/data/orders?find=00000000-0000-4000-8000-000000000000`),
  storePage('data, oldest first', ({ full }) => `${full.id}/data/products?order=oldest`),
  storePage('data, found', ({ full }) => `${full.id}/data/products?find=e`),
  storePage('recipes', ({ full }) => `${full.id}/recipes`),
  ...(['generating', 'imported'] as const).flatMap((kind) =>
    ['settings/general', 'settings/api', 'usage', 'data/orders'].map((path) =>
      storePage(`${path}, ${kind} store`, (shown) => `${shown[kind]}/${path}`),
    ),
  ),
  storePage('not found', ({ full }) => `${full.id}/nowhere`),
]

const MEMBER_PAGES: readonly EveryPage[] = [
  memberPage('developer', 'keys', ({ full }) => `${full.id}/settings/api`),
  memberPage('developer', 'members', ({ full }) => `${full.id}/settings/members`),
  memberPage('developer', 'role, not allowed', ({ full, guest }) => `${full.id}/settings/members/${guest.id}/role`),
  memberPage('viewer', 'keys', ({ full }) => `${full.id}/settings/api`),
  memberPage('viewer', 'members', ({ full }) => `${full.id}/settings/members`),
  memberPage('viewer', 'leave', ({ full }) => `${full.id}/settings/members/leave`),
  memberPage('viewer', 'requests of a key', ({ full }) => `${full.id}/usage/keys/${full.keyId}`),
  memberPage('viewer', 'usage, none', ({ empty }) => `${empty.id}/usage`),
  memberPage('viewer', 'data, not allowed', ({ full }) => `${full.id}/data/orders`),
  memberPage('viewer', 'revoke, not allowed', ({ full }) => `${full.id}/settings/api/keys/${full.keyId}/revoke`),
]

const AFTER_STEPS: readonly EveryPage[] = [
  { name: 'stores', isSignedIn: true, open: (page, { scene }) => page.goto(`${scene.url}/stores`) },
  { name: 'account', isSignedIn: true, open: (page, { scene }) => page.goto(`${scene.url}/account`) },
  { name: 'two-factor sign-in, setting up', isSignedIn: false, open: setUpTwoFactor },
  {
    name: 'two-factor sign-in, recovery codes',
    isSignedIn: false,
    async open(page, shown) {
      await turnOnTwoFactor(page, shown)
    },
  },
  ...(['turning on', 'turning off', 'turning off, wrong code'] as const).map((step) => ({
    name: `two-factor rule, ${step}`,
    isSignedIn: false,
    async open(page: Page, shown: Shown) {
      const { scene, full, texts } = shown
      await turnOnTwoFactor(page, shown)
      const setRule = (isOn: boolean) =>
        scene.platform.controlSql`update stores set two_factor_required = ${isOn} where id = ${full.id}`
      await setRule(step !== 'turning on')
      await page.goto(`${scene.url}/stores/${full.id}/settings/members/two-factor`)
      if (step === 'turning off, wrong code') {
        await page.getByLabel(texts.twoFactor.code, { exact: true }).fill('000000')
        await page.getByRole('button', { name: texts.twoFactorRule.turnOff }).click()
        await page.locator('.field-problem').waitFor()
      }
      await setRule(false)
    },
  })),
  {
    name: 'second factor missing',
    isSignedIn: true,
    async open(page, { scene, full }) {
      const { controlSql: sql } = scene.platform
      await sql`update stores set two_factor_required = true where id = ${full.id}`
      await page.goto(`${scene.url}/stores/${full.id}/settings/api`)
      await sql`update stores set two_factor_required = false where id = ${full.id}`
    },
  },
  {
    name: 'account with two-factor sign-in',
    isSignedIn: false,
    async open(page, shown) {
      await turnOnTwoFactor(page, shown)
      await page.getByRole('link', { name: shown.texts.twoFactor.recovery.saved }).click()
      await page.getByRole('button', { name: shown.texts.twoFactor.turnOff }).waitFor()
    },
  },
  {
    name: 'code of the sign-in, wrong',
    isSignedIn: false,
    async open(page, shown) {
      const merchant = await turnOnTwoFactor(page, shown)
      await page.getByRole('link', { name: shown.texts.twoFactor.recovery.saved }).click()
      await page.getByRole('button', { name: shown.texts.layout.signOut, exact: true }).click()
      await signIn(page, merchant, shown.texts)
      await page.getByLabel(shown.texts.twoFactor.code, { exact: true }).fill('000000')
      await page.getByRole('button', { name: shown.texts.signIn.button }).click()
      await page.locator('.field-problem').waitFor()
    },
  },
  {
    name: 'account with passkeys',
    isSignedIn: false,
    open: (page, shown) => openWithPasskeys(page, shown, 2),
  },
  {
    name: 'account with passkeys, signed in with the password',
    isSignedIn: false,
    open: (page, shown) => openWithPasskeys(page, shown, 2, null),
  },
  {
    name: 'passkey, signed in with the password',
    isSignedIn: false,
    async open(page, shown) {
      await openWithPasskeys(page, shown, 1, null)
      await page.getByRole('link', { name: `${shown.texts.passkeys.change} Chrome 1` }).click()
      await page.waitForURL('**/account/passkeys/*')
    },
  },
  {
    name: 'account with as many passkeys as possible',
    isSignedIn: false,
    open: (page, shown) => openWithPasskeys(page, shown, 10),
  },
  {
    name: 'passkey, adding',
    isSignedIn: false,
    async open(page, shown) {
      await openWithPasskeys(page, shown, 0)
      await page.getByRole('link', { name: shown.texts.passkeys.add.link }).click()
      await page.waitForURL('**/new')
    },
  },
  {
    name: 'passkey, not removed',
    isSignedIn: false,
    async open(page, shown) {
      await openWithPasskeys(page, shown, 1)
      const { change, edit } = shown.texts.passkeys
      await page.getByRole('link', { name: `${change} Chrome 1` }).click()
      await page.getByLabel(edit.password).fill('not this one')
      await page.getByRole('button', { name: edit.removeButton }).click()
      await page.locator('.field-problem').waitFor()
    },
  },
  {
    name: 'sign-in with a passkey, rejected',
    isSignedIn: false,
    async open(page, { scene }) {
      await page.goto(`${passkeyUrl(scene)}/sign-in`)
      await page.evaluate(`document.querySelector('[data-passkey]').submit()`)
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'row',
    isSignedIn: true,
    async open(page, { scene, full }) {
      await page.goto(`${scene.url}/stores/${full.id}/data/orders`)
      await page.locator('#rows > tr th a').first().click()
      await page.locator('#json').waitFor()
    },
  },
  { name: 'key created', isSignedIn: true, open: createKeyOn },
  {
    name: 'key created to replace another',
    isSignedIn: true,
    async open(page, { scene, empty, texts }) {
      // A key has one successor at a time, and the tests open this page more than once.
      await scene.platform.controlSql`
        update api_keys set revoked_at = now() where replaces = ${empty.keyId} and revoked_at is null`
      await page.goto(`${scene.url}/stores/${empty.id}/settings/api/keys/${empty.keyId}/replace`)
      await page.getByRole('button', { name: texts.changeKey.replace.create }).click()
      await page.locator('#key').waitFor()
    },
  },
  {
    name: 'keys, one just revoked',
    isSignedIn: true,
    async open(page, shown) {
      await createKeyOn(page, shown)
      await page.goto(`${shown.scene.url}/stores/${shown.empty.id}/settings/api`)
      await page.getByRole('link', { name: `${shown.texts.keys.revoke} Accounting` }).click()
      await page.getByRole('button', { name: shown.texts.changeKey.revoke.button }).click()
      await page.locator('.notice').waitFor()
    },
  },
  {
    name: 'key without a name',
    isSignedIn: true,
    async open(page, { scene, empty, texts }) {
      await page.goto(`${scene.url}/stores/${empty.id}/settings/api`)
      await page.getByLabel(texts.createKey.name).fill('  ')
      await page.getByRole('button', { name: texts.createKey.create }).click()
      await page.locator('.field-problem').waitFor()
    },
  },
  {
    name: 'form already sent',
    isSignedIn: true,
    async open(page, { scene, texts }) {
      await page.goto(`${scene.url}/account`)
      const form_token = await page.locator('form[action^="/account/password"] [name=form_token]').inputValue()
      const form = { form_token, current: 'not this one', next: 'seven quiet rivers' }
      await page.request.post(`${scene.url}/account/password`, { form, headers: { origin: scene.url } })
      await scene.platform.controlSql`delete from sign_in_attempts`
      await page.getByLabel(texts.account.password.current).fill('not this one')
      await page.getByLabel(texts.account.password.next).fill('seven quiet rivers')
      await page.getByRole('button', { name: texts.account.password.change }).click()
    },
  },
  {
    name: 'key that cannot be shown again',
    isSignedIn: true,
    async open(page, shown) {
      await createKeyOn(page, shown)
      const url = page.url()
      await page.getByRole('link', { name: shown.texts.keyCreated.hasCopied }).click()
      await page.goto(url)
    },
  },
  {
    name: 'keys, one not confirmed',
    isSignedIn: true,
    async open(page, shown) {
      await createKeyOn(page, shown)
      await page.goto(`${shown.scene.url}/stores/${shown.empty.id}/settings/api`)
    },
  },
  {
    name: 'form rejected',
    isSignedIn: true,
    async open(page, { scene, texts }) {
      await page.goto(`${scene.url}/account`)
      await page.evaluate(`document.querySelector('form[action="/sign-out"] [name=form_token]').value = 'another'`)
      await page.getByRole('button', { name: texts.layout.signOut, exact: true }).click()
    },
  },
  {
    name: 'internal error',
    isSignedIn: true,
    async open(page, { scene, full }) {
      const sql = scene.platform.controlSql
      await sql`alter table usage_hours rename to usage_hours_away`
      await page.goto(`${scene.url}/stores/${full.id}/usage`)
      await sql`alter table usage_hours_away rename to usage_hours`
    },
  },
]

export const EVERY_PAGE: readonly EveryPage[] = [...OUTSIDE, ...STORE_PAGES, ...MEMBER_PAGES, ...AFTER_STEPS]
