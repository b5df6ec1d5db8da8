// Takes the screenshots of the dashboard that the documents show, and writes them to docs/images. Starts a demo in a
// temporary folder and uses it as three tools would. The keys in the screenshots are invalid after the demo.
//
// Run: npm run pictures

import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import type { Sql } from 'postgres'
import { CONTROL_DATABASE } from '../packages/operator/src/demo/data-folder.ts'
import { findRunningPostgres } from '../packages/operator/src/embedded/embedded-postgres.ts'
import { openBrowser, openPage } from '../test/support/browser.ts'
import { openClient } from '../test/support/client.ts'

/** Widths of the screenshots, in CSS pixels. */
const [PHONE, DESKTOP] = [{ width: 390 }, { width: 1280 }] as const
const FOLDER = path.resolve(import.meta.dirname, '..', 'docs', 'images')
const COMMAND = path.resolve(import.meta.dirname, '..', 'packages', 'operator', 'bin', 'store-export.js')
/** Settings of the demo: any free ports, and usage that reaches the database within 0.1 s. */
const SETTINGS = { PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0', USAGE_FLUSH_MS: '100' }
const TOOLS = ['Google Sheets', 'Accounting', 'Warehouse']

interface DemoFacts {
  readonly url: string
  readonly dashboard_url: string
  readonly email: string
  readonly password: string
  readonly stores: readonly { readonly id: string }[]
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-pictures-'))
const demo = startDemo(folder)
const browser = await openBrowser()
try {
  const facts = await demo.facts
  await mkdir(FOLDER, { recursive: true })
  const prefixes = await useDemo(browser, facts)
  await withControl(folder, (sql) => addUsageHistory(sql, prefixes))
  await takeAll(browser, facts, prefixes[0] ?? '')
} finally {
  await browser.close()
  await demo.end()
  await rm(folder, { recursive: true, force: true })
}

function startDemo(cwd: string): { readonly facts: Promise<DemoFacts>; readonly end: () => Promise<void> } {
  const env = {
    ...process.env,
    ...Object.fromEntries(Object.entries(SETTINGS).map(([name, value]) => [`STORE_EXPORT_${name}`, value])),
  }
  const child = spawn(process.execPath, [COMMAND, 'demo', '--json'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const facts = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{')) return JSON.parse(line) as DemoFacts
    }
    throw new Error('the demo ended before it was ready')
  })()
  const end = async () => {
    child.kill('SIGINT')
    await ended
  }
  return { facts, end }
}

/** Creates keys as a merchant and uses them as tools. Returns the prefixes of the keys. */
async function useDemo(browser: Browser, facts: DemoFacts): Promise<string[]> {
  const { page, close } = await openPage(browser)
  await signIn(page, facts)
  const base = baseOf(facts)
  const prefixes: string[] = []
  for (const name of TOOLS) {
    await page.goto(`${base}/settings/api`)
    await page.getByLabel('Name', { exact: false }).first().fill(name)
    if (name === 'Accounting') await chooseLimits(page)
    await page.getByRole('button', { name: /create/i }).click()
    await page.locator('#key').waitFor()
    const key = /sdx_\w{49}/.exec(await page.content())?.[0] ?? ''
    await useKey(facts.url, key)
    // The control database and the dashboard identify a key by these characters.
    prefixes.push(key.slice(0, 12))
  }
  await close()
  return prefixes
}

async function chooseLimits(page: Page): Promise<void> {
  await page.getByText('Limit what the key can do').click()
  await page.getByLabel('Orders and products').check()
  await page.getByLabel('Leave out personal data').check()
  await page.getByLabel('The key ends').selectOption('90')
}

/** Reads one list completely and one list partly, and sends an invalid request. */
async function useKey(url: string, key: string): Promise<void> {
  const request = async (pathAndQuery: string) => {
    const response = await fetch(`${url}/api/v1/${pathAndQuery}`, { headers: { 'x-api-key': key } })
    return (await response.json()) as { readonly meta: { readonly next_cursor: string | null } }
  }
  await request('store')
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof request>> = await request(
      `products?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    cursor = page.meta.next_cursor
  }
  const first = await request('orders?limit=250&updated_since=2025-01-01T00:00:00Z')
  await request(`orders?limit=250&updated_since=2025-01-01T00:00:00Z&cursor=${first.meta.next_cursor}`)
  await request('orders?limit=1000')
}

/**
 * Adds usage of the last month for the chart, by formulas, so that each run draws the same curve. The first tool runs
 * each hour. The second one stopped in its orders. The third one ran every third hour until two days ago.
 */
async function addUsageHistory(sql: Sql, prefixes: string[]): Promise<void> {
  for (const [index, prefix] of prefixes.entries()) {
    await sql`
      insert into usage_hours (key_id, hour, successful, client_errors, rejected, failed, peak_minute, active_minutes)
      select k.id, hour, (20 + 15 * sin(n / 9.0 + ${index}::int) + 10 * (n * 7919 % 11) / 11)::int / (${index}::int + 1),
        case when n * 23 % 41 = 0 then 4 else 0 end, case when n * 31 % 53 = 0 then 9 else 0 end,
        case when n * 17 % 97 = 0 then 2 else 0 end, 70, 1
      from api_keys k, generate_series(case ${index}::int when 2 then 48 else 1 end, 700, ${index + 1}::int) n,
        lateral (select date_trunc('hour', now()) - make_interval(hours => n) as hour)
      where k.prefix = ${prefix} on conflict do nothing`
  }
  const [first, second, third] = prefixes
  const ofKey = (prefix = '') => sql`select id from api_keys where prefix = ${prefix}`
  await sql`delete from walks where key_id in (${ofKey(first)}) or key_id in (${ofKey(third)})`
  await sql`update walks set last_at = now() - interval '7 hours', begun_at = now() - interval '7 hours'
    where not ended and key_id in (${ofKey(second)})`
  await sql`delete from usage_hours where hour > now() - interval '24 hours' and key_id in (${ofKey(third)})`
  await sql`update api_keys set last_used_at = now() - interval '48 hours' where id in (${ofKey(third)})`
}

async function withControl(cwd: string, work: (sql: Sql) => Promise<void>): Promise<void> {
  const postgres = await findRunningPostgres(path.join(cwd, '.data'))
  if (postgres === undefined) throw new Error('the demo has no database')
  const sql = openClient(postgres.url(CONTROL_DATABASE))
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}

/** Takes all screenshots. `prefix` is that of the key whose usage page is one of them. */
async function takeAll(browser: Browser, facts: DemoFacts, prefix: string): Promise<void> {
  const { page, close } = await openPage(browser, { height: 900, timezoneId: 'Europe/Berlin' })
  const take = async (name: string, at: { readonly width: number } = DESKTOP) => {
    await page.setViewportSize({ width: at.width, height: 900 })
    await page.screenshot({ path: path.join(FOLDER, `${name}-${at.width}.png`), fullPage: true })
  }
  const base = baseOf(facts)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, facts)
  await page.goto(`${base}/settings/api`)
  await take('keys')
  await take('keys', PHONE)
  await page.setViewportSize({ width: DESKTOP.width, height: 900 })
  const usage = await page.locator('.key', { hasText: prefix }).getByRole('link').first().getAttribute('href')
  await chooseLimits(page)
  await page.getByLabel('Only what you choose').check()
  await take('key-limits')
  await page.goto(`${base}/settings/api`)
  await page.getByRole('radio', { name: 'store-sync' }).check()
  await page.getByLabel('Name', { exact: false }).first().fill('Dashboard tool')
  await page.getByRole('button', { name: /create/i }).click()
  await page.locator('#key').waitFor()
  await take('key-made')
  for (const [name, url] of [
    ['activity', `${base}/settings/activity`],
    ['usage', `${base}/usage`],
    ['key-usage', new URL(usage ?? '', facts.dashboard_url).href],
  ] as const) {
    await page.goto(url)
    await take(name)
  }
  await close()
}

async function signIn(page: Page, { dashboard_url, email, password }: DemoFacts): Promise<void> {
  await page.goto(`${dashboard_url}/sign-in`)
  await page.getByLabel(/email/i).fill(email)
  await page.getByLabel(/password/i).fill(password)
  await page.getByRole('button', { name: /sign in/i }).click()
}

function baseOf({ dashboard_url, stores }: DemoFacts): string {
  return `${dashboard_url}/stores/${stores[0]?.id}`
}
