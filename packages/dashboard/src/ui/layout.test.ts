import { expect, test } from 'vitest'
import type { Frame, Section } from '../pages/models.ts'
import { localizationIn } from '../texts/languages.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
const store = {
  id: '6f0d5c1e-8a3b-4c57-9d21-3e7f4a10b601',
  name: 'A',
  status: 'ready',
  role: 'admin',
  timeZone: 'UTC',
} as const

function frameWith(more: Partial<Frame> = {}): Frame {
  let tokens = 0
  return {
    title: 'API',
    viewer: { email: 'a@example.com', storesCount: 2 },
    store,
    section: 'api',
    notice: null,
    ...localizationIn('en'),
    now: new Date('2026-11-21T12:00:00Z'),
    apiUrl: 'http://127.0.0.1:8080',
    theme: 'system',
    path: '/stores',
    formToken: () => `token-${++tokens}`,
    ...more,
  }
}

test('the page layout has no inline styles, inline scripts, or event handler attributes', () => {
  const page = String(layout(frameWith(), html`<h1>API</h1>`))
  expect(page).not.toMatch(/\sstyle=|<style|\son\w+=/)
  expect([...page.matchAll(/<script[^>]*>([^<]*)</g)].every(([, text]) => text === '')).toBe(true)
})

test("if texts such as the page title or the store's name contain HTML, the page layout escapes the HTML", () => {
  const frame = frameWith({
    title: HOSTILE,
    viewer: { email: HOSTILE, storesCount: 2 },
    store: { ...store, id: HOSTILE, name: HOSTILE, timeZone: HOSTILE },
    notice: { kind: 'done', text: HOSTILE },
    locale: HOSTILE,
    apiUrl: HOSTILE,
  })
  const page = String(layout(frame, html`${HOSTILE}`))
  expect(page).not.toMatch(/<img src=x|<script>/)
})

test('if the page belongs to the section Usage, only Usage is marked as current in the navigation', () => {
  const page = String(layout(frameWith({ section: 'usage' }), html``))
  expect(page.match(/aria-current="page"/g)).toHaveLength(1)
  expect(page).toMatch(/\/usage" aria-current="page"/)
})

test('if the visitor is not signed in, the page has a theme form, but no navigation and no sign-out form', () => {
  const page = String(layout(frameWith({ viewer: null, store: null, section: null }), html``))
  expect(page).not.toMatch(/<nav|sign-out/)
  expect(page.match(/<form[^>]*>/g)).toEqual(['<form method="post" action="/theme" data-theme-form>'])
})

test('if a store is still being created, its pages say so, except in the sections General and Data', () => {
  const pageOf = (section: Section) =>
    String(layout(frameWith({ section, store: { ...store, status: 'generating' } }), html``))
  for (const section of ['api', 'members', 'activity', 'usage', 'recipes'] as const)
    expect(pageOf(section)).toContain('This store is still being created.')
  for (const section of ['general', 'data'] as const) expect(pageOf(section)).not.toContain('still being created')
})

test('the notice of a page, the status of its store, and its callouts are above the heading', () => {
  const frame = frameWith({ notice: { kind: 'done', text: 'Done.' }, store: { ...store, status: 'generating' } })
  const page = String(layout(frame, html`<h1>API</h1>`, html`<p>A callout</p>`))
  const order = ['Done.', 'still being created', 'A callout', '<h1>'].map((text) => page.indexOf(text))
  expect(order).toEqual(order.toSorted((one, other) => one - other))
  expect(order).not.toContain(-1)
})

test('if the visitor chose the dark theme, the page has the dark color scheme, and only the button "Dark" is pressed', () => {
  const dark = String(layout(frameWith({ theme: 'dark', path: '/stores?a=1' }), html``))
  expect(dark).toContain('<html lang="en" dir="ltr" data-theme="dark">')
  expect(dark).toContain('<meta name="color-scheme" content="dark">')
  expect(dark).toContain('value="dark" aria-pressed="true"')
  expect(dark.match(/aria-pressed="true"/g)).toHaveLength(1)
  expect(dark).toContain('name="next" value="/stores?a=1"')
  const system = String(layout(frameWith(), html``))
  expect(system).toContain('<html lang="en" dir="ltr">')
  expect(system).toContain('<meta name="color-scheme" content="light dark">')
})
