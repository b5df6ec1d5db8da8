// What the demo shows when it runs: where it is, a key, lines to paste, and the other stores. Text only.

import type { Style } from '../output.ts'
import type { DemoKeys, StoredSignIn } from './data-folder.ts'
import type { DemoStore } from './demo-stores.ts'

/** What the panel tells. */
export interface PanelFacts {
  /** Address of the API that a browser on this machine can open. */
  readonly url: string
  readonly operationsUrl: string | null
  readonly stores: readonly DemoStore[]
  readonly keys: DemoKeys
  readonly dashboard: StoredSignIn
}

/** Styles a text, or leaves it as it is where the output is no terminal. */
export type Paint = (style: Style, text: string) => string

/** The panel, lines without an end. */
export function formatPanel({ url, operationsUrl, stores, keys, dashboard }: PanelFacts, paint: Paint): string {
  const shown = stores.flatMap((store) => {
    const kept = keys.get(store.id)
    return kept === undefined ? [] : [{ store, key: kept.key }]
  })
  const [first, ...others] = shown
  const row = (title: string, text: string) => `  ${paint('dim', title.padEnd(TITLE_WIDTH))}${text}`
  const lines = [
    '',
    `  ${paint('bold', 'Store data export')} ${paint('green', 'is running')}`,
    '',
    row('API', `${url}/api/v1`),
    row('Docs', `${url}/docs`),
    row('Dashboard', dashboard.url),
    row('Sign-in', `${dashboard.email}  ${paint('bold', dashboard.password)}`),
    ...(operationsUrl === null ? [] : [row('Operations', `${operationsUrl}/metrics`)]),
    ...(first === undefined ? [] : firstStore(url, first, { row, paint })),
    ...(others.length === 0 ? [] : ['', paint('dim', '  Other stores')]),
    ...others.map(({ store, key }) => `  ${store.name.padEnd(NAME_WIDTH)}${stateOf(store).padEnd(STATE_WIDTH)}${key}`),
    '',
    paint('dim', '  Databases, secret, keys and password are kept in .data/. Ctrl-C stops everything.'),
    '',
  ]
  return lines.join('\n')
}

/** A line for a shell: the newest of what a store offers, small enough to read. */
function curlLine(url: string, key: string): string {
  return `curl -H 'x-api-key: ${key}' '${url}/api/v1/orders?limit=2'`
}

/** A line for a shell in the project's folder: the key in front, since the command takes none as an argument. */
function syncLine(url: string, key: string): string {
  return `STORE_EXPORT_KEY=${key} npx store-sync run --url ${url} --to sqlite:shop.db`
}

const TITLE_WIDTH = 12
const NAME_WIDTH = 20
const STATE_WIDTH = 12

function firstStore(
  url: string,
  { store, key }: { readonly store: DemoStore; readonly key: string },
  { row, paint }: { readonly row: (title: string, text: string) => string; readonly paint: Paint },
): string[] {
  return [
    row('Store', `${store.name} (${stateOf(store)})`),
    row('Key', paint('bold', key)),
    '',
    paint('dim', '  Try it'),
    `  ${paint('cyan', curlLine(url, key))}`,
    '',
    paint('dim', '  Keep a copy of it'),
    `  ${paint('cyan', syncLine(url, key))}`,
    '',
    paint('dim', '  Change an order, and see it arrive with the next sync'),
    `  ${paint('cyan', 'npx store-export demo change')}`,
  ]
}

function stateOf(store: DemoStore): string {
  return store.kind === 'filled' ? store.revision : store.kind
}
