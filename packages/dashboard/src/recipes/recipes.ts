// The recipes: files that are pasted as they are, with the address of this service in them. A key is never in one.

import { readFileSync } from 'node:fs'
import type { Recipe } from '../pages/models.ts'

/** Stands in the files for the address of the API. */
const PLACEHOLDER = 'https://api.example.com'

const RECIPES: readonly (Omit<Recipe, 'code'> & { readonly file: string })[] = [
  {
    id: 'curl',
    title: 'curl',
    note: 'Save as orders.sh, put a key into STORE_EXPORT_KEY and run it with bash. Prints the orders changed since a moment, one JSON object a line; needs curl and jq.',
    language: 'bash',
    file: 'orders.sh',
  },
  {
    id: 'typescript',
    title: 'TypeScript',
    note: 'Save as orders.ts, put a key into STORE_EXPORT_KEY and run it with Node 24. Prints the orders changed since a moment, one JSON object a line; no package needed.',
    language: 'typescript',
    file: 'orders.ts',
  },
  {
    id: 'python',
    title: 'Python',
    note: 'Save as orders.py, put a key into STORE_EXPORT_KEY and run it with Python 3. Prints the orders changed since a moment, one JSON object a line; no package needed.',
    language: 'python',
    file: 'orders.py',
  },
  {
    id: 'google-sheets',
    title: 'Google Sheets',
    note: 'Paste into Extensions, Apps Script, and add the key as script property STORE_EXPORT_KEY. Keeps a sheet "Orders" up to date: each run asks only for what changed since the last one that ended well.',
    language: 'javascript',
    file: 'orders.gs',
  },
  {
    id: 'power-query',
    title: 'Power Query (Excel, Power BI)',
    note: 'Make the text parameters StoreExportKey and ChangedSince, then paste into the advanced editor of a blank query. Loads the orders as a table; credentials are Anonymous.',
    language: 'powerquery',
    file: 'orders.pq',
  },
  {
    id: 'n8n',
    title: 'n8n',
    note: 'Import as a workflow and choose a Header Auth credential in "Changed orders": name x-api-key, value the key. Every hour it hands on the orders that changed; put your tool in place of the fifth node.',
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
