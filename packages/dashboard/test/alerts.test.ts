import { randomBytes } from 'node:crypto'
import { readDashboardSecret, Secret, setMerchantLanguage } from '@store-export/control'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { createKeysFile, type KeysFile, newScanner } from '../../../test/support/scanner.ts'
import { createMailer } from '../src/alerts/mailer.ts'
import { MuteTokens } from '../src/alerts/mute-tokens.ts'
import { type AlertOptions, type Round, sendAlerts, startAlerts } from '../src/alerts/send-alerts.ts'
import type { DashboardEvent } from '../src/dashboard-event.ts'
import { originsOf } from '../src/security/origins.ts'
import { startSmtpServer, type TestSmtpServer } from './support/smtp-server.ts'

let platform: TestPlatform
let smtp: TestSmtpServer
let keysFile: KeysFile
const scanner = newScanner()
let options: AlertOptions
const events: DashboardEvent[] = []
beforeAll(async () => {
  smtp = await startSmtpServer()
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Store export <export@example.com>' }
  keysFile = await createKeysFile(scanner)
  platform = await startPlatform({ ...mail, LEAK_REPORT_KEYS_FILE: keysFile.path }, { dashboard: true })
  options = await alertOptions()
})
afterEach(async () => {
  smtp.rejects = null
  smtp.emails.length = 0
  events.length = 0
  await platform.controlSql`update stores set removed_at = now(), database_url = null, database_password = null`
})
afterAll(async () => {
  await platform.close()
  await smtp.close()
  await keysFile.remove()
})

async function alertOptions(smtpUrl = smtp.url): Promise<AlertOptions> {
  const { control: database } = platform.service
  const keys = { current: platform.encryptionKey, previous: null }
  const secret = await readDashboardSecret({ database, keys, random: randomBytes })
  const mailer = createMailer({
    smtpUrl: new Secret(smtpUrl, '[url]'),
    from: 'Store export <export@example.com>',
  })
  const emit = (event: DashboardEvent) => events.push(event)
  const services = { database, emit, origins: originsOf(urlOf(platform)), requestLogHours: 72, apiUrl: '' }
  return {
    services: { ...services, muteTokens: new MuteTokens(secret) },
    timeZoneOf: async () => 'Europe/Berlin',
    mailer,
    now: () => new Date(),
  }
}

/** Creates a store whose tool stopped an hour ago, in the middle of its orders. */
async function stoppedShop(): Promise<{ store: TestStore; merchant: TestMerchant }> {
  const store = await platform.provision()
  const merchant = await addMerchant(platform, store.id)
  await platform.controlSql`update stores set name = 'Shop & Söhne' where id = ${store.id}`
  await platform.controlSql`
    insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
    values (${store.keyId}, '/api/v1/orders', '', now() - interval '2 hours', now() - interval '1 hour', 20, 20, 5000, false)`
  return { store, merchant }
}

const send = (more: Partial<AlertOptions> = {}, round: Partial<Round> = {}) =>
  sendAlerts({ ...options, ...more }, { stopping: new AbortController().signal, steadySince: new Date(0), ...round })
const subjects = () => smtp.emails.map(({ message }) => /^Subject: (.*)$/m.exec(message)?.[1])

test('if a tool stops in the middle of a list, each merchant of the store gets one email with the number of rows read', async () => {
  const { store, merchant } = await stoppedShop()
  const other = await addMerchant(platform, store.id)
  await send()
  await send()
  expect(smtp.emails.map(({ to }) => to[0]).toSorted()).toEqual([merchant.email, other.email].toSorted())
  const { message } = smtp.emails[0] ?? { message: '' }
  expect(message).toContain('From: Store export <export@example.com>')
  expect(message).toMatch(/^test: Stopped at 5,000 orders, on \d+ [A-Z][a-z]+, \d\d:\d\d\.\r$/m)
  expect(message).toContain(`/stores/${store.id}/usage/keys/${store.keyId}`)
  expect(message).toContain('Store: Shop & Söhne')
  expect(message).toContain('Times are in the time zone Europe/Berlin.')
  expect(message).not.toContain(store.key)
  expect(message).toContain('Auto-Submitted: auto-generated')
  expect(message).toMatch(/List-Unsubscribe:\s+<http[^>]+\/mute\/[A-Za-z0-9_-]+>/)
  expect(events).toEqual([{ event: 'alert.sent', keyId: store.keyId, kind: 'stopped', emails: 2 }])
})

test('if one of two merchants of a store chose German, that merchant gets alerts in German, and the other merchant gets them in English', async () => {
  const { store, merchant } = await stoppedShop()
  const other = await addMerchant(platform, store.id)
  await setMerchantLanguage(platform.service.control, merchant.id, 'de')
  await send()
  const messageTo = ({ email }: TestMerchant) => smtp.emails.find(({ to }) => to[0] === email)?.message ?? ''
  expect(messageTo(merchant)).toMatch(
    /^test: Abgebrochen nach 5\.000 Zeilen \(Bestellungen\), zuletzt am \d+\. \p{L}+/mu,
  )
  expect(messageTo(merchant)).toContain('Zeiten sind in der Zeitzone Europe/Berlin.')
  expect(messageTo(other)).toContain('test: Stopped at 5,000 orders, on ')
})

test('if three nodes of the service find the same stopped tool at the same time, the merchant gets only one email', async () => {
  await stoppedShop()
  await Promise.all([send(), send(), send()])
  expect(smtp.emails).toHaveLength(1)
})

test('if a tool stops again on the same day, the merchant gets no second email about the tool until the next day', async () => {
  const { store } = await stoppedShop()
  await send()
  await platform.controlSql`update walks set last_at = last_at + interval '30 minutes' where key_id = ${store.keyId}`
  await send()
  expect(smtp.emails).toHaveLength(1)
  await platform.controlSql`update alerts set day = day - 1 where key_id = ${store.keyId}`
  await send()
  await send()
  expect(smtp.emails).toHaveLength(2)
})

test.each([
  [14, 'test ends', 'The key of test ends in 13 days.'],
  [1, 'test ends', 'The key of test ends in 23 hours.'],
])(
  'if a key expires in less than %i × 24 hours, the merchant gets one email with the remaining time',
  async (days, _, sentence) => {
    const store = await platform.provision()
    await addMerchant(platform, store.id)
    const setEnd = (left: string) =>
      platform.controlSql`update api_keys set expires_at = now() + ${left}::interval where id = ${store.keyId}`
    await setEnd('15 days')
    await send()
    expect(smtp.emails).toEqual([])
    await setEnd(`${days * 24 - 0.5} hours`)
    await send()
    await send()
    expect(smtp.emails).toHaveLength(1)
    expect(smtp.emails[0]?.message).toContain(sentence)
  },
)

test('if all requests in two consecutive hours exceed the rate limit, the merchant gets two emails: "gets only errors" and "sends too many requests"', async () => {
  const store = await platform.provision()
  await addMerchant(platform, store.id)
  const addHour = (hoursAgo: number) => platform.controlSql`
    insert into usage_hours (key_id, hour, successful, rejected)
    values (${store.keyId}, date_trunc('hour', now()) - make_interval(hours => ${hoursAgo}::int), 0, 3)`
  await addHour(1)
  await send()
  expect(smtp.emails).toEqual([])
  await addHour(0)
  await send()
  expect(
    subjects()
      .map((subject) => subject?.replace(/^.*: /, ''))
      .toSorted(),
  ).toEqual(['test gets only errors', 'test sends too many requests'])
})

test("while a key is turned off, the merchant gets an email before the key expires, but no emails about the tool's errors and stops", async () => {
  const { store } = await stoppedShop()
  const { controlSql } = platform
  await controlSql`update api_keys set turned_off_at = now() where id = ${store.keyId}`
  await controlSql`
    insert into usage_hours (key_id, hour, rejected)
    select ${store.keyId}, date_trunc('hour', now()) - make_interval(hours => n), 7 from generate_series(0, 1) as n`
  await send()
  expect(smtp.emails).toEqual([])
  await controlSql`update api_keys set expires_at = now() + interval '13 days' where id = ${store.keyId}`
  await send()
  expect(smtp.emails).toHaveLength(1)
  expect(smtp.emails[0]?.message).toMatch(/The key of test ends in 1[23] days/)
  await controlSql`update api_keys set turned_off_at = null, expires_at = null where id = ${store.keyId}`
  await send()
  expect(smtp.emails).toHaveLength(2)
  expect(smtp.emails[1]?.message).toContain('test was over the rate limit')
})

test('if the SMTP server rejects the only recipient of an alert, the service emits alert.failed once and does not retry the alert', async () => {
  const { store } = await stoppedShop()
  smtp.rejects = ''
  await send()
  await send()
  expect(events).toMatchObject([{ event: 'alert.failed', keyId: store.keyId, kind: 'stopped' }])
})

test('if a tool with hourly requests stops, a restarted service emails the merchant between 90 and 110 minutes after the restart', async () => {
  const store = await platform.provision()
  await addMerchant(platform, store.id)
  await platform.controlSql`
    insert into usage_hours (key_id, hour, successful, active_minutes)
    select ${store.keyId}, date_trunc('hour', now()) - make_interval(hours => n), 4, 1 from generate_series(5, 400) n`
  await platform.controlSql`update api_keys set last_used_at = now() - interval '5 hours' where id = ${store.keyId}`
  await send({}, { steadySince: new Date(Date.now() - 90 * 60_000) })
  expect(smtp.emails).toEqual([])
  await send({}, { steadySince: new Date(Date.now() - 110 * 60_000) })
  expect(subjects()[0]).toMatch(/: test stopped sending requests$/)
})

test("if a tool stops and the SMTP server rejects one merchant's address, the store's other merchant still gets exactly one email", async () => {
  const { store, merchant } = await stoppedShop()
  const other = await addMerchant(platform, store.id)
  smtp.rejects = other.email
  await send()
  await send()
  expect(smtp.emails.map(({ to }) => to)).toEqual([[merchant.email]])
})

test('if the SMTP server is unreachable or rejects the password, the service emits alert.failed, and its next check of the keys sends the email', async () => {
  await stoppedShop()
  for (const url of ['smtp://127.0.0.1:1', smtp.url.replace('hidden', 'wrong')])
    await send({ mailer: (await alertOptions(url)).mailer })
  expect(events.map(({ event }) => event)).toEqual(['alert.failed', 'alert.failed'])
  expect(JSON.stringify(events)).not.toContain('hidden')
  await send()
  expect(smtp.emails).toHaveLength(1)
})

test("if a merchant stops a key's emails by the link in an alert, other merchants still get them, and the first merchant can restart them", async () => {
  const { store, merchant } = await stoppedShop()
  const other = await addMerchant(platform, store.id)
  await send()
  const email = smtp.emails.find(({ to }) => to[0] === merchant.email)
  const path = /http\S+(\/mute\/[A-Za-z0-9_-]+)/.exec(email?.message ?? '')?.[1] ?? ''
  const visitor = new PlainBrowser(urlOf(platform))
  expect((await visitor.get(path)).text).toContain('Stop the emails about this key?')
  await platform.controlSql`delete from alerts`
  await send()
  expect(smtp.emails).toHaveLength(4)
  expect((await visitor.send(path, '/mute')).text).toContain('You get no more emails about this key')
  await platform.controlSql`delete from alerts`
  await send()
  expect(smtp.emails.slice(4).map(({ to }) => to)).toEqual([[other.email]])
  const changed = path.replace(/(?<=^\/mute\/.)./, (character) => (character === 'x' ? 'y' : 'x'))
  for (const forged of [path.slice(0, -1), changed, '/mute/x']) expect((await visitor.get(forged)).status).toBe(404)

  const signedIn = await new PlainBrowser(urlOf(platform)).signIn(merchant)
  const page = `/stores/${store.id}/usage/keys/${store.keyId}`
  expect((await signedIn.get(page)).text).toContain('You get no emails about this key, unless it is found in public.')
  await signedIn.send(page, `${page}/emails`)
  expect((await signedIn.get(page)).text).toContain('You get an email if this tool gets only errors')
  await platform.controlSql`delete from alerts`
  await send()
  expect(smtp.emails).toHaveLength(7)
})

test('if a node is told to stop while an email fails, the node sends the store no more emails and records none as sent', async () => {
  const { store } = await stoppedShop()
  await addMerchant(platform, store.id)
  const stopping = new AbortController()
  let tries = 0
  const hang = async () => {
    tries += 1
    stopping.abort()
    throw new Error('timeout')
  }
  await send({ mailer: { send: hang, close: () => undefined } }, { stopping: stopping.signal })
  expect(tries).toBe(1)
  expect(await platform.controlSql`select from alerts where key_id = ${store.keyId}`).toHaveLength(0)
})

test('if two nodes send alerts, only one of the nodes checks the keys in each period', async () => {
  await stoppedShop()
  const nodes = [
    startAlerts({ ...options, mailer: createTestMailer() }, 20),
    startAlerts({ ...options, mailer: createTestMailer() }, 20),
  ]
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
  })
  await expect.poll(() => smtp.emails.length, { timeout: 5000 }).toBe(1)
  const [round] = await platform.controlSql`select begun_at as at from alert_rounds`
  await platform.controlSql`delete from alerts`
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(smtp.emails).toHaveLength(1)
  expect(await platform.controlSql`select begun_at as at from alert_rounds`).toEqual([round])
})

const createTestMailer = () =>
  createMailer({ smtpUrl: new Secret(smtp.url, '[url]'), from: 'Store export <export@example.com>' })

describe('[AUTH-5, R47] emails about leaked keys', () => {
  const PLACE_URL = 'https://github.com/octocat/shop/blob/1234560/.env'
  /** Reports the key of a store to the API, as a scanner does. */
  const report = async ({ key }: TestStore, place: object = { url: PLACE_URL, source: 'pull_request_comment' }) => {
    const body = JSON.stringify([{ token: key, type: 'store_export_key', ...place }])
    const sent = { method: 'POST', headers: scanner.headersFor(body), body }
    expect((await fetch(`${platform.service.url}/leak-reports`, sent)).status).toBe(200)
  }

  test("if a leaked key is reported twice, each merchant of the store gets one email, even a merchant who turned off the key's emails", async () => {
    const store = await platform.provision()
    const merchants = [await addMerchant(platform, store.id), await addMerchant(platform, store.id)]
    await platform.controlSql`update stores set name = 'Shop & Söhne' where id = ${store.id}`
    await platform.controlSql`
      insert into alert_mutes (key_id, merchant_id) select ${store.keyId}, merchant_id from memberships
      where store_id = ${store.id} limit 1`
    await report(store)
    await Promise.all([send(), send()])
    await report(store)
    await send()
    expect(smtp.emails.map(({ to }) => to[0]).toSorted()).toEqual(merchants.map(({ email }) => email).toSorted())
    const { message } = smtp.emails[0] ?? { message: '' }
    expect(message).toContain('The key of test was found in public.')
    expect(message).toContain('the service revoked it')
    expect(message).toContain(`Key: test (${store.key.slice(0, 12)}…${store.key.slice(-4)})`)
    expect(message).toContain(`Found at: ${PLACE_URL} (pull request comment)`)
    expect(message).toContain(`${urlOf(platform)}/stores/${store.id}/settings/api\r\n`)
    expect(message).toContain(`${urlOf(platform)}/stores/${store.id}/usage/keys/${store.keyId}\r\n`)
    expect(message).not.toContain(store.key)
    expect(message).not.toContain('List-Unsubscribe')
    expect(events).toEqual([{ event: 'alert.sent', keyId: store.keyId, kind: 'leaked', emails: 2 }])
  })

  test('if a key expires soon or was leaked, emails tell admins to replace it or create a new one, and viewers to ask an admin', async () => {
    const { store, merchant } = await stoppedShop()
    const viewer = await addMerchant(platform, store.id)
    await platform.controlSql`
      update memberships set role = 'viewer' where store_id = ${store.id} and merchant_id = ${viewer.id}`
    await platform.controlSql`
      update api_keys set expires_at = now() + interval '10 days' where store_id = ${store.id}`
    await platform.controlSql`delete from walks`
    await send()
    const lastTo = ({ email }: TestMerchant) =>
      (smtp.emails.findLast(({ to }) => to[0] === email)?.message ?? '').replaceAll('=\r\n', '')
    expect(lastTo(merchant)).toContain('Replace it before')
    expect(lastTo(viewer)).toContain('Ask an admin of the store to replace it before')
    await report(store)
    await send()
    expect(lastTo(merchant)).toContain('Create a new key')
    expect(lastTo(viewer)).toContain('Ask an admin of the store for a new key')
    expect(lastTo(viewer)).toContain(`${urlOf(platform)}/stores/${store.id}/settings/members`)
    expect(lastTo(viewer)).not.toContain(`${urlOf(platform)}/stores/${store.id}/settings/api`)
  })

  test.each([
    [{}, 'Found at: the report does not say where'],
    [{ source: 'npm' }, 'Found at: npm'],
    [{ url: PLACE_URL }, `Found at: ${PLACE_URL}\r`],
  ])('if a leak report has the location %j, the email about the leaked key contains %j', async (place, line) => {
    const store = await platform.provision()
    await addMerchant(platform, store.id)
    await report(store, place)
    await send()
    expect(smtp.emails[0]?.message).toContain(line)
  })

  test("if the SMTP server was unreachable, the next check sends the email about a leaked key, even if reading the store's time zone fails", async () => {
    const { store } = await stoppedShop()
    const { key } = await platform.newKey(store.id)
    await report({ ...store, key })
    await send({ mailer: (await alertOptions('smtp://127.0.0.1:1')).mailer })
    expect(smtp.emails).toEqual([])
    const timeZoneOf = () => Promise.reject(new Error('the store is away'))
    await expect(send({ timeZoneOf })).rejects.toThrow('the store is away')
    expect(smtp.emails.map(({ message }) => message)).toEqual([expect.stringContaining('was found in public')])
  })

  test('if a leaked key was revoked more than seven days ago, the merchants of its store get no email', async () => {
    const store = await platform.provision()
    await addMerchant(platform, store.id)
    await platform.controlSql`
      insert into audit_events (at, actor, action, store_id, key_id, details)
      values (now() - interval '8 days', 'leak report', 'key.revoked', ${store.id}, ${store.keyId}, '{"reason": "leaked"}')`
    await send()
    expect(smtp.emails).toEqual([])
  })
})
