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
    note: 'Save as orders.sh, set STORE_EXPORT_KEY to your key, and run it with bash. It needs curl and jq. It appends changed orders to orders.jsonl and continues where the last run stopped.',
    language: 'bash',
    file: 'orders.sh',
  },
  {
    id: 'typescript',
    title: 'TypeScript',
    note: 'Save as orders.ts, set STORE_EXPORT_KEY to your key, and run it with Node 24. It needs no packages. It appends changed orders to orders.jsonl and continues where the last run stopped.',
    language: 'typescript',
    file: 'orders.ts',
  },
  {
    id: 'python',
    title: 'Python',
    note: 'Save as orders.py, set STORE_EXPORT_KEY to your key, and run it with Python 3. It needs no packages. It appends changed orders to orders.jsonl and continues where the last run stopped.',
    language: 'python',
    file: 'orders.py',
  },
  {
    id: 'google-sheets',
    title: 'Google Sheets',
    note: 'One tab for each table, with all columns. Each run requests only changes, removes deleted rows, and continues where the last run stopped. For up to 150,000 orders.',
    steps: [
      'In your spreadsheet, open Extensions > Apps Script. Replace the code with this script, and save.',
      'Reload the spreadsheet. The menu Store export appears.',
      'Choose Store export > Connect, allow the script, and enter your key.',
      'Choose Store export > Export now, and then Store export > Export every hour.',
    ],
    language: 'javascript',
    file: '../../../../../connectors/google-sheets/Code.gs',
  },
  {
    id: 'power-query',
    title: 'Power Query (Excel, Power BI)',
    note: 'A function that loads each table with a type for each column. Each refresh loads the whole table, because Power Query stores nothing between refreshes. Power BI can refresh only recent orders. For up to 100,000 orders.',
    steps: [
      'In the Power Query editor, create the text parameter StoreExportKey with your key.',
      'Create an empty query with the name StoreExport, open the advanced editor, and paste this function.',
      'Create an empty query for each table: = StoreExport("orders"). The tables are store, orders, order_items, customers, customer_addresses, customer_groups, products, product_variants, categories, and locations.',
      'For credentials, choose Anonymous, because the key is in a header.',
      'In Power BI, = StoreExport("orders", [created_since = RangeStart, created_until = RangeEnd]) is ready for incremental refresh.',
    ],
    language: 'powerquery',
    file: '../../../../../connectors/power-query/StoreExport.pq',
  },
  {
    id: 'n8n',
    title: 'n8n',
    note: 'For n8n without community nodes; otherwise install n8n-nodes-store-export. Import as a workflow. In “Get a page”, choose a Header Auth credential with the name x-api-key and your key as value. Replace the node “Your tool” with your tool, and activate the workflow. Every hour, it passes on changed orders and continues where the last run stopped.',
    language: 'json',
    file: 'n8n.json',
  },
]

/** Returns the recipes for the API at `apiUrl`. Each call reads the files. Throws `TypeError` for an invalid URL. */
export function recipesFor(apiUrl: string): Recipe[] {
  const url = literalUrl(apiUrl)
  return RECIPES.map(({ file, ...recipe }) => {
    const code = readFileSync(new URL(`files/${file}`, import.meta.url), 'utf8')
    const filled = code.replaceAll(PLACEHOLDER, () => url).replace(NO_SERVICE_URL, () => `const SERVICE_URL = '${url}'`)
    return { ...recipe, code: filled }
  })
}

/** Returns the URL without a slash at the end, and without characters that end a string in the languages of recipes. */
function literalUrl(apiUrl: string): string {
  return new URL(apiUrl).href.replace(/\/+$/, '').replaceAll("'", '%27')
}
