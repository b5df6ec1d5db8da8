import { ALL_PERMISSIONS } from '@store-export/control'
import { expect, test } from 'vitest'
import { testFrame } from '../../test/support/frame.ts'
import { TOOLS } from '../recipes/tools.ts'
import { NO_LIMITS } from './key-limits-view.ts'
import type { ActiveKeyRow, KeysPage } from './key-models.ts'
import { keysView } from './keys-view.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const KEY: ActiveKeyRow = {
  id: 'k1',
  name: 'Accounting',
  prefix: 'sdx_7Hq2Lm9x',
  lastFour: 'w3Zk',
  createdBy: null,
  createdAt: NOW,
  lastUsedAt: null,
  revokedAt: null,
  turnedOffAt: null,
  retiresAt: null,
  ...ALL_PERMISSIONS,
  requests24h: 0,
  rejected24h: 0,
  health: { kind: 'unused' },
  replacedBy: null,
}

const FRAME = testFrame({ section: 'api', now: NOW })

function pageWith(active: readonly ActiveKeyRow[], more: Partial<KeysPage> = {}, frame = FRAME): string {
  const create = { tool: '', name: '', problem: null, limits: NO_LIMITS, limitsProblem: null }
  return String(
    keysView(frame, {
      unconfirmed: null,
      active,
      revoked: [],
      create,
      keysMax: 5,
      leastUsed: null,
      ...more,
    }),
  )
}

test('the two forms of the keys page have different form tokens', () => {
  const tokens = [...pageWith([KEY]).matchAll(/name="form_token" value="(token-\d+)"/g)].map(([, token]) => token)
  expect(tokens).toHaveLength(2)
  expect(new Set(tokens).size).toBe(2)
})

test('if a store has five keys, the keys page names the least recently used key and has no form for a new key', () => {
  const page = pageWith(
    Array.from({ length: 5 }, () => KEY),
    { leastUsed: { ...KEY, requests24h: 1 } },
  )
  expect(page).toContain(
    'The least recently used key is <strong>Accounting</strong>: 1 request in 24 hours, last used never.',
  )
  expect(page).not.toContain('name="name"')
})

test('if the name of a new key is rejected, the form shows the error message and the entered name, HTML-escaped', () => {
  const page = pageWith([], {
    create: { tool: '', name: '<b>', problem: 'Give the key a name.', limits: NO_LIMITS, limitsProblem: null },
  })
  expect(page).toMatch(
    /<input id="name"[^>]*value="&lt;b&gt;"[^>]*aria-describedby="name-hint name-problem" aria-invalid="true"/,
  )
  expect(page).toContain('<p class="field-problem" id="name-problem">Give the key a name.</p>')
})

test('if a key expires within 14 days, the keys page shows the remaining time, unless the key is being replaced', () => {
  const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000)
  const text = (key: Partial<ActiveKeyRow>) => pageWith([{ ...KEY, ...key }])
  expect(text({ expiresAt: inDays(13.9) })).toContain('The key ends in 13 days. Replace it before then.')
  expect(text({ expiresAt: inDays(1) })).toContain('The key ends in 24 hours. Replace it before then.')
  expect(text({ expiresAt: inDays(14.1) })).not.toContain('The key ends in')
  const replacedBy = { id: 'k2', prefix: 'sdx_8Hq2Lm9x', lastFour: 'w3Zk', endsAfterHours: 24 }
  expect(text({ expiresAt: inDays(1), replacedBy })).not.toContain('The key ends in')
})

test(`if a key's replacement is unused, the keys page says "ends 7 days after the first use"; afterwards, it shows the end date`, () => {
  const replacedBy = { id: 'k2', prefix: 'sdx_8Hq2Lm9x', lastFour: 'w3Zk', endsAfterHours: 168 }
  const masked = 'replaced by <code>sdx_8Hq2Lm9x…w3Zk</code>'
  expect(pageWith([{ ...KEY, replacedBy }])).toContain(`${masked}, ends 7 days after the first use of the new key`)
  const ending = pageWith([{ ...KEY, replacedBy, retiresAt: new Date('2026-11-28T09:30:00Z') }])
  expect(ending).toMatch(/w3Zk<\/code> · .*Ends <time[^>]*>28 Nov, 09:30</)
})

test('if a key was last used 90 days ago, or created 30 days ago and never used, the keys page advises revoking the key', () => {
  const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)
  const advice =
    '<a href="/stores/s1/settings/api/keys/k1/revoke">Revoke it<span class="visually-hidden">: Accounting</span></a> if no tool needs it.'
  const text = (createdAt: Date, lastUsedAt: Date | null) => pageWith([{ ...KEY, createdAt, lastUsedAt }])
  expect(text(daysAgo(94), daysAgo(94))).toContain(`Not used for 94 days. ${advice}`)
  expect(text(daysAgo(45), null)).toContain(`Never used since its creation 45 days ago. ${advice}`)
  for (const page of [text(daysAgo(400), daysAgo(89)), text(daysAgo(29), null)]) expect(page).not.toContain('Revoke it')
  // The advice to revoke the key would contradict the advice to use it.
  expect(text(daysAgo(45), null)).not.toContain('Put the key into the tool')
  expect(text(daysAgo(29), null)).toContain('Put the key into the tool')
})

test('the keys page says "3 of 5 keys" and links to the form for a new key, but "5 of 5 keys" without the link', () => {
  const page = pageWith([KEY, KEY, KEY])
  expect(page.indexOf('<a class="button main" href="#create">Create key</a>')).toBeLessThan(page.indexOf('3 of 5 keys'))
  expect(page).toContain('3 of 5 keys')
  expect(page).toContain('<h2 id="create">')
  const full = pageWith(Array.from({ length: 5 }, () => KEY))
  expect(full).toContain('5 of 5 keys')
  expect(full).not.toContain('href="#create"')
})

test('the form for a new key has a tile with a note for each tool, and preselects a last tile that stands for no tool', () => {
  const tiles = [
    ...pageWith([]).matchAll(
      /class="choice-tile"><input type="radio" name="tool" value="([^"]*)"( checked)?>.*?<span class="note">([^<]*)</g,
    ),
  ]
  expect(tiles.map(([, value]) => value)).toEqual([...TOOLS.map(({ id }) => id), ''])
  expect(tiles.filter(([, , isChecked]) => isChecked).map(([, value]) => value)).toEqual([''])
  expect(tiles.every(([, , , note]) => note !== '')).toBe(true)
})

test('if a store has no keys, the keys page says "No keys yet"', () => {
  expect(pageWith([])).toContain('No keys yet')
})

test('if the store is imported, the keys page offers only to revoke keys, not to create or replace keys', () => {
  const store = { id: 's1', name: 'A', status: 'imported', role: 'admin', timeZone: 'UTC' } as const
  const imported = { ...FRAME, store }
  const page = pageWith([KEY], {}, imported)
  expect(page).not.toMatch(/name="name"|href="#create"|\/replace"/)
  expect(page).toContain('/keys/k1/revoke"')
  expect(pageWith([], {}, imported)).toContain('The API doesn’t serve an imported store, so the store needs no keys.')
  expect(
    pageWith(
      Array.from({ length: 5 }, () => KEY),
      {},
      imported,
    ),
  ).not.toContain('To create another one')
})
