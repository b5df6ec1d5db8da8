// Texts of the recipes: what each does, and how to use it. The code of a recipe, with its comments, stays English.

import { html } from '../../ui/html.ts'

/** What a recipe does, and the steps to use it if the note doesn't say so. */
export interface RecipeTexts {
  readonly note: string
  readonly steps: readonly string[]
}

/** ID of a recipe, in URLs and in the catalog. */
export type RecipeId = 'curl' | 'typescript' | 'python' | 'google-sheets' | 'power-query' | 'n8n'

export const recipes = () => ({
  title: 'Recipes',
  lead: (apiHref: string) =>
    html`Code that you can copy into a tool. You need <a href="${apiHref}">a key</a>. Each recipe repeats failed requests by itself. After an interruption, all except Power Query continue where they stopped.`,
  reference: 'API reference',
  syncStore: 'Sync your whole store',
  openGuide: 'Open the guide',
  guides: {
    'store-sync': {
      title: 'store-sync',
      note: 'A command that keeps a copy in SQLite, DuckDB, PostgreSQL, MySQL, CSV, Excel, or Parquet.',
    },
    client: { title: 'TypeScript client', note: 'A typed client that pages, waits and retries by itself.' },
    'incremental-sync': { title: 'Incremental sync', note: 'How to read only changes, in five programming languages.' },
  },
  recipes: RECIPES,
})

export type RecipesTexts = ReturnType<typeof recipes>

const program = (file: string, run: string, needs: string) =>
  `Save as ${file}, set STORE_EXPORT_KEY to your key, and run it with ${run}. ${needs} It appends changed orders to orders.jsonl and continues where the last run stopped.`

const RECIPES: Readonly<Record<RecipeId, RecipeTexts>> = {
  curl: { note: program('orders.sh', 'bash', 'It needs curl and jq.'), steps: [] },
  typescript: { note: program('orders.ts', 'Node 24', 'It needs no packages.'), steps: [] },
  python: { note: program('orders.py', 'Python 3', 'It needs no packages.'), steps: [] },
  'google-sheets': {
    note: 'One tab for each table, with all columns. Each run requests only changes, removes deleted rows, and continues where the last run stopped. For up to 150,000 orders.',
    steps: [
      'In your spreadsheet, open Extensions > Apps Script. Replace the code with this script, and save.',
      'Reload the spreadsheet. The menu Store export appears.',
      'Choose Store export > Connect, allow the script, and enter your key.',
      'Choose Store export > Export now, and then Store export > Export every hour.',
    ],
  },
  'power-query': {
    note: 'A function that loads each table with a type for each column. Each refresh loads the whole table, because Power Query stores nothing between refreshes. Power BI can refresh only recent orders. For up to 100,000 orders.',
    steps: [
      'In the Power Query editor, create the text parameter StoreExportKey with your key.',
      'Create an empty query with the name StoreExport, open the advanced editor, and paste this function.',
      'Create an empty query for each table: = StoreExport("orders"). The tables are store, orders, order_items, customers, customer_addresses, customer_groups, products, product_variants, categories, and locations.',
      'For credentials, choose Anonymous, because the key is in a header.',
      'In Power BI, = StoreExport("orders", [created_since = RangeStart, created_until = RangeEnd]) is ready for incremental refresh.',
    ],
  },
  n8n: {
    note: 'For n8n without community nodes; otherwise install n8n-nodes-store-export. Import as a workflow. In “Get a page”, choose a Header Auth credential with the name x-api-key and your key as value. Replace the node “Your tool” with your tool, and activate the workflow. Every hour, it passes on changed orders and continues where the last run stopped.',
    steps: [],
  },
}
