// Reads the recipes from code files, and replaces the placeholder in them with the URL of the API. Recipes contain no
// key.

import { readFileSync } from 'node:fs'
import type { Recipe } from '../pages/models.ts'

/** The URL in the code files that `recipesFor` replaces. */
const PLACEHOLDER = 'https://api.example.com'
/** The line of the script for Google Sheets that `recipesFor` replaces. Without a URL, the script prompts for it. */
const NO_SERVICE_URL = "const SERVICE_URL = ''"

const RECIPES: readonly (Omit<Recipe, 'code'> & { readonly file: string })[] = [
  {
    id: 'curl',
    title: 'curl',
    language: 'bash',
    file: 'orders.sh',
  },
  {
    id: 'typescript',
    title: 'TypeScript',
    language: 'typescript',
    file: 'orders.ts',
  },
  {
    id: 'python',
    title: 'Python',
    language: 'python',
    file: 'orders.py',
  },
  {
    id: 'google-sheets',
    title: 'Google Sheets',
    language: 'javascript',
    file: '../../../../../connectors/google-sheets/Code.gs',
  },
  {
    id: 'power-query',
    title: 'Power Query (Excel, Power BI)',
    language: 'powerquery',
    file: '../../../../../connectors/power-query/StoreExport.pq',
  },
  {
    id: 'n8n',
    title: 'n8n',
    language: 'json',
    file: 'n8n.json',
  },
]

/** Returns the recipes for the API at `apiUrl`. Each call reads the files. Throws `TypeError` for an invalid URL. */
export function recipesFor(apiUrl: string): Recipe[] {
  const url = literalUrl(apiUrl)
  return RECIPES.map(({ file, ...recipe }) => {
    const code = readFileSync(new URL(`files/${file}`, import.meta.url), 'utf8')
    // A function as the replacement, because `$` in a string would have a special meaning.
    const filled = code.replaceAll(PLACEHOLDER, () => url).replace(NO_SERVICE_URL, () => `const SERVICE_URL = '${url}'`)
    return { ...recipe, code: filled }
  })
}

/** Returns the URL without a slash at the end, and without characters that end a string in the languages of recipes. */
function literalUrl(apiUrl: string): string {
  return new URL(apiUrl).href.replace(/\/+$/, '').replaceAll("'", '%27')
}
