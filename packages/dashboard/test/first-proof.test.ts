// Proves the address of an account while a request that signs in, or that adds a way to sign in, is in progress.

import { proveAddress } from '@store-export/control'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { appCode } from './support/app-code.ts'
import { SoftPasskey } from './support/soft-passkey.ts'

let platform: TestPlatform
let store: TestStore
/** Browsers allow passkeys for host names only. */
let origin: string
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
  store = await platform.provision()
  origin = urlOf(platform).replace('127.0.0.1', 'localhost')
})
afterAll(() => platform.close())

/** An account whose address was never proved, and a browser that can send a request for it. */
interface Attacker extends TestMerchant {
  readonly visitor: PlainBrowser
}

type Send = () => Promise<unknown>

const PASSKEYS = '/account/passkeys'
const SIGN_IN = '/sign-in/passkey'

async function startAdding({ visitor, password }: Attacker): Promise<{ passkey: SoftPasskey; credential: string }> {
  const fields = { ...(await visitor.hiddenOf(`${PASSKEYS}/new`, PASSKEYS)), name: 'Laptop', confirm: password }
  const { options } = JSON.parse((await visitor.post(`${PASSKEYS}/challenge`, fields)).text)
  const passkey = new SoftPasskey(origin)
  return { passkey, credential: passkey.create(options) }
}

async function addPasskey({ visitor }: Attacker, credential: string): Promise<unknown> {
  const form_token = await visitor.formTokenOf('/account', '/sign-out')
  return visitor.post(PASSKEYS, { form_token, name: 'Laptop', credential })
}

/** The table that the request changes last, and how to prepare the request. */
const REQUESTS: readonly (readonly [string, string, (attacker: Attacker) => Promise<Send>])[] = [
  [
    'a sign-in by password',
    'merchant_sessions',
    async ({ visitor, email, password }) => {
      const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
      return () => visitor.post('/sign-in', { email, password, form_token })
    },
  ],
  [
    'a sign-in by link',
    'merchant_sessions',
    async ({ visitor, email }) => {
      const path = `/link/${await (await accountsOf(platform)).createSignInLink(email)}`
      const fields = await visitor.hiddenOf(path, '/link')
      return () => visitor.post('/link', fields)
    },
  ],
  [
    'a sign-in by passkey',
    'merchant_sessions',
    async (attacker) => {
      const { visitor } = attacker
      await visitor.signIn(attacker)
      const { passkey, credential } = await startAdding(attacker)
      await addPasskey(attacker, credential)
      visitor.cookies.clear()
      const { text } = await visitor.post(`${SIGN_IN}/challenge`, await visitor.hiddenOf('/sign-in', SIGN_IN))
      const fields = await visitor.hiddenOf('/sign-in', SIGN_IN)
      return () => visitor.post(SIGN_IN, { ...fields, credential: passkey.get(JSON.parse(text).options, {}) })
    },
  ],
  [
    'a new passkey',
    'merchant_passkeys',
    async (attacker) => {
      await attacker.visitor.signIn(attacker)
      const { credential } = await startAdding(attacker)
      const form_token = await attacker.visitor.formTokenOf('/account', '/sign-out')
      return () => attacker.visitor.post(PASSKEYS, { form_token, name: 'Laptop', credential })
    },
  ],
  [
    'a new second factor',
    'merchant_sessions',
    async (attacker) => {
      const { visitor, password } = attacker
      await visitor.signIn(attacker)
      const { text } = await visitor.send('/account', '/account/two-factor/set-up', { confirm: password })
      const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
      const fields = { form_token: hidden('form_token'), secret: hidden('secret'), code: appCode(hidden('secret')) }
      return () => visitor.post('/account/two-factor/confirm', fields)
    },
  ],
  [
    'a first password',
    'merchant_logins',
    async ({ visitor, id, email }) => {
      await platform.controlSql`delete from merchant_logins where merchant_id = ${id}`
      await visitor.send(`/link/${await (await accountsOf(platform)).createSignInLink(email)}`, '/link')
      const fields = await visitor.hiddenOf('/account', '/account/password')
      return () => visitor.post('/account/password', { ...fields, next: 'password of an attacker' })
    },
  ],
  [
    'a changed password',
    'merchant_sessions',
    async (attacker) => {
      const { visitor, password: current } = attacker
      await visitor.signIn(attacker)
      const fields = await visitor.hiddenOf('/account', '/account/password')
      return () => visitor.post('/account/password', { ...fields, current, next: 'password of an attacker' })
    },
  ],
]

test.each(REQUESTS)(
  "[AUTH-5] if an account's email address is verified for the first time while an attacker submits %s, no session or credential of the attacker remains",
  async (_name, table, prepare) => {
    const merchant = await addMerchant(platform, store.id)
    await platform.controlSql`update merchants set address_proved = false where id = ${merchant.id}`
    const visitor = new PlainBrowser(origin)
    const send = await prepare({ ...merchant, visitor })
    const { sent, proved } = await platform.controlSql.begin(async (sql) => {
      await sql`lock table ${sql(table)} in share mode`
      const waiting = async () =>
        (
          await sql`select distinct l.pid from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database()`
        ).length
      const sent = send()
      await expect.poll(waiting).toBe(1)
      const proved = proveAddress(platform.service.control, merchant.email)
      await expect.poll(waiting).toBe(2)
      return { sent, proved: proved.then(() => true) }
    })
    expect(await proved).toBe(true)
    await sent
    const [account] = await platform.controlSql`
      select address_proved as proved, two_factor_enabled as "needsCode",
        (select count(*)::int from merchant_sessions where merchant_id = m.id) as sessions,
        (select count(*)::int from merchant_logins where merchant_id = m.id) as logins,
        (select count(*)::int from merchant_passkeys where merchant_id = m.id) as passkeys,
        (select count(*)::int from merchant_two_factors where merchant_id = m.id) as codes
      from merchants m where id = ${merchant.id}`
    expect(account).toEqual({ proved: true, needsCode: false, sessions: 0, logins: 0, passkeys: 0, codes: 0 })
    expect((await visitor.get('/account')).headers.get('location')).toMatch(/^\/sign-in/)
    // A later sign-in of the owner works.
    await (await accountsOf(platform)).setPassword(merchant.id, 'password of the owner')
    await new PlainBrowser(origin).signIn({ email: merchant.email, password: 'password of the owner' })
  },
)
