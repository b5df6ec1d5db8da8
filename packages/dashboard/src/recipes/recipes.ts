// The recipes: files that are pasted as they are, with the address of this service in them. A key is never in one.

import { readFileSync } from 'node:fs'
import type { Recipe } from '../pages/models.ts'

/** Stands in the files for the address of the API. */
const PLACEHOLDER = 'https://api.example.com'

const RECIPES: readonly (Omit<Recipe, 'code'> & { readonly file: string })[] = [
  {
    id: 'curl',
    title: 'curl',
    note: 'Save as orders.sh, put a key into STORE_EXPORT_KEY and run it with bash; needs curl and jq. Appends changed orders to orders.jsonl, and continues where the last run stopped.',
    language: 'bash',
    file: 'orders.sh',
  },
  {
    id: 'typescript',
    title: 'TypeScript',
    note: 'Save as orders.ts, put a key into STORE_EXPORT_KEY and run it with Node 24; no package needed. Appends changed orders to orders.jsonl, and continues where the last run stopped.',
    language: 'typescript',
    file: 'orders.ts',
  },
  {
    id: 'python',
    title: 'Python',
    note: 'Save as orders.py, put a key into STORE_EXPORT_KEY and run it with Python 3; no package needed. Appends changed orders to orders.jsonl, and continues where the last run stopped.',
    language: 'python',
    file: 'orders.py',
  },
  {
    id: 'google-sheets',
    title: 'Google Sheets',
    note: 'Paste into Extensions, Apps Script, and add the key as script property STORE_EXPORT_KEY. Keeps a sheet "Orders" up to date: each run asks only for what changed, and continues where the last run stopped.',
    language: 'javascript',
    file: 'orders.gs',
  },
  {
    id: 'power-query',
    title: 'Power Query (Excel, Power BI)',
    note: 'Create the text parameters StoreExportKey and ChangedSince, then paste into the advanced editor of a blank query. Loads the orders changed since then as a table, all of them at each refresh: Power Query keeps nothing in between. Credentials are Anonymous.',
    language: 'powerquery',
    file: 'orders.pq',
  },
  {
    id: 'n8n',
    title: 'n8n',
    note: 'Import as a workflow, choose a Header Auth credential in "Get a page" (name x-api-key, value the key), put your tool in place of the node that says so, and activate it. Every hour it passes on the changed orders, and continues where the last run stopped.',
    language: 'json',
    file: 'n8n.json',
  },
]

/** The recipes for a service whose API clients reach at `apiUrl`. Reads files; throws `TypeError` for no URL. */
export function recipesFor(apiUrl: string): Recipe[] {
  const address = literalAddress(apiUrl)
  return RECIPES.map(({ file, ...recipe }) => {
    const code = readFileSync(new URL(`files/${file}`, import.meta.url), 'utf8')
    return { ...recipe, code: code.replaceAll(PLACEHOLDER, () => address) }
  })
}

/** The address without a slash at its end, and without what would end a text in any of the languages. */
function literalAddress(apiUrl: string): string {
  return new URL(apiUrl).href.replace(/\/+$/, '').replaceAll("'", '%27')
}
