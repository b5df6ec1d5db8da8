// Formats the output of a running demo: addresses, the sign-in, the first store with commands to paste, and the other
// stores with their keys. Leaves out stores without a key.

import type { Style } from '../output.ts'
import type { DemoKeys, StoredSignIn } from './data-folder.ts'
import type { DemoStore } from './demo-stores.ts'

/** What the panel shows: addresses, stores, keys, and the sign-in. */
export interface PanelContent {
  /** Address of the API for a browser on this machine. */
  readonly url: string
  /** Address of the operations listener; null if it is off. */
  readonly operationsUrl: string | null
  readonly stores: readonly DemoStore[]
  readonly keys: DemoKeys
  readonly dashboard: StoredSignIn
}

/** Returns the text in a style for a terminal, or unchanged. */
export type Paint = (style: Style, text: string) => string

/** Returns the panel, as lines separated by line feeds. */
export function formatPanel({ url, operationsUrl, stores, keys, dashboard }: PanelContent, paint: Paint): string {
  const shown = stores.flatMap((store) => {
    const found = keys.get(store.id)
    return found === undefined ? [] : [{ store, key: found.key }]
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
    paint('dim', '  Databases, secret, keys, and password are in .data/. Ctrl-C stops the demo.'),
    '',
  ]
  return lines.join('\n')
}

/** Returns a shell command that requests two orders. */
function curlLine(url: string, key: string): string {
  return `curl -H 'x-api-key: ${key}' '${url}/api/v1/orders?limit=2'`
}

/**
 * Returns a shell command for the project's folder. The key is an environment variable, because the command accepts no
 * key as an argument.
 */
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
    paint('dim', '  Request orders'),
    `  ${paint('cyan', curlLine(url, key))}`,
    '',
    paint('dim', '  Copy the data to a SQLite file'),
    `  ${paint('cyan', syncLine(url, key))}`,
    '',
    paint('dim', '  Change an order; the next sync copies it'),
    `  ${paint('cyan', 'npx store-export demo change')}`,
  ]
}

function stateOf(store: DemoStore): string {
  return store.kind === 'filled' ? store.revision : store.kind
}
