// Tests the website that `npm run site` has built, in a real browser.

import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readNavigation, type SidebarItem } from '../../site/navigation.ts'
import { overflowsSideways } from '../support/accessibility.ts'
import { openBrowser, openPage, type PageSettings } from '../support/browser.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const DOCS = path.join(ROOT, 'docs')
const DIST = path.join(ROOT, 'site', 'dist')
const PAGES = globSync('**/*.md', { cwd: DOCS }).map((file) => file.replace(/(?:index)?\.md$/, ''))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
}

let server: Server
let browser: Browser
let url = ''
beforeAll(async () => {
  if (!existsSync(DIST)) throw new Error('site/dist does not exist: run npm run site first')
  server = createServer(({ url: target = '/' }, response) => {
    const file = fileOf(decodeURI(new URL(target, 'http://localhost').pathname))
    if (!existsSync(file)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' }).end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  server.close()
})

/** Returns the file that a static web server returns for a path. */
function fileOf(pathname: string): string {
  const file = path.join(DIST, pathname)
  return existsSync(file) && statSync(file).isDirectory() ? path.join(file, 'index.html') : file
}

/** Returns the built page of a path of PAGES. */
function htmlOf(page: string): string {
  return page === '' || page.endsWith('/') ? fileOf(page) : path.join(DIST, `${page}.html`)
}

/** Returns the Markdown of a path of PAGES. */
function sourceOf(page: string): string {
  return path.join(DOCS, page === '' || page.endsWith('/') ? `${page}index.md` : `${page}.md`)
}

async function open(settings: PageSettings) {
  const opened = await openPage(browser, settings)
  onTestFinished(() => opened.close())
  return opened
}

test('every Markdown page of docs is on the website and is linked from a sidebar', () => {
  const linksOf = (items: readonly SidebarItem[]): string[] =>
    items.flatMap(({ link, items: inner = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(inner)])
  const links = Object.values(readNavigation(DOCS).sidebar).flatMap(linksOf)
  expect(PAGES.length).toBeGreaterThan(50)
  for (const page of PAGES) {
    expect(existsSync(htmlOf(page)), page).toBe(true)
    expect(links).toContain(`/${page}`)
  }
})

test('the sidebar lists pages in the order of the links on their index page, then the pages without a link by file name', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'store-export-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = {
    'index.md': '# Home\n\n[B](api/b.md)\n',
    'api/a.md': '# A\n',
    'api/b.md': '# `b` of B\n',
    'api/index.md': '# All of it\n\n[D](d.md) [C](c.md#part)\n',
    'api/c.md': '# C\n',
    'api/d.md': '# D\n',
    'api/more/e.md': '# E\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const { bar, sidebar } = readNavigation(folder)
  expect(bar).toEqual([{ text: 'API', link: '/api/', activeMatch: '^/api/' }])
  expect(sidebar['/api/']?.[0]?.items?.map(({ text }) => text)).toEqual(['All of it', 'b of B', 'D', 'C', 'A', 'More'])
})

test('if Markdown has comments or HTML entities, the website does not show them as text', () => {
  const sources = PAGES.map((page) => readFileSync(sourceOf(page), 'utf8'))
  expect(sources.some((text) => text.startsWith('<!-- Generated'))).toBe(true)
  for (const page of PAGES) expect(readFileSync(htmlOf(page), 'utf8'), page).not.toMatch(/Do not edit: |&amp;[a-z]+;/i)
})

test('every link of the website leads to an existing file and anchor', () => {
  const broken: string[] = []
  for (const page of PAGES) {
    const from = new URL(`/${page}`, url)
    for (const [, href = ''] of readFileSync(htmlOf(page), 'utf8').matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const target = new URL(href, from)
      if (target.origin !== from.origin) continue
      const file = target.pathname === from.pathname ? htmlOf(page) : fileOf(decodeURI(target.pathname))
      const id = decodeURIComponent(target.hash.slice(1))
      if (!existsSync(file)) broken.push(`${page}: ${href}`)
      else if (id !== '' && !readFileSync(file, 'utf8').includes(`id="${id}"`)) broken.push(`${page}: ${href}`)
    }
  }
  expect(broken).toEqual([])
})

test.each(['light', 'dark'] as const)(
  'if the color scheme is %s, pages of the website request nothing from other hosts and log no error',
  async (colorScheme) => {
    const { page, problems } = await open({ colorScheme })
    for (const { path: name } of samples()) await page.goto(url + name, { waitUntil: 'networkidle' })
    expect(problems).toEqual([])
  },
)

test('in a window that is 390 pixels wide, pages of the website do not scroll sideways', async () => {
  const { page } = await open({ width: 390 })
  for (const { path: name } of samples()) {
    await page.goto(url + name)
    expect(await overflowsSideways(page), name).toEqual([])
  }
})

test('if a visitor searches the website for "incremental watermark", the results include "Incremental sync"', async () => {
  const { page, problems } = await open({})
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.locator('.DocSearch-Button').click()
  await page.locator('.search-input').fill('incremental watermark')
  await page.locator('.results .result').first().waitFor()
  expect(await page.locator('.results').textContent()).toContain('Incremental sync')
  expect(problems).toEqual([])
})

/** Returns the start page, the first page of each folder, and the three longest pages. */
function samples(): { readonly path: string }[] {
  const folders = Map.groupBy(PAGES, (page) => path.dirname(page))
  const first = [...folders.values()].map(([page = '']) => page)
  const longest = PAGES.toSorted((a, b) => statSync(htmlOf(b)).size - statSync(htmlOf(a)).size).slice(0, 3)
  return [...new Set(['', ...first, ...longest])].map((page) => ({
    path: page === '' || page.endsWith('/') ? page : `${page}.html`,
  }))
}
