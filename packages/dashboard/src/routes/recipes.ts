// Handles requests for the page of recipes.

import { recipesView } from '../pages/recipes-view.ts'
import { recipesFor } from '../recipes/recipes.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'

/** GET /stores/{s}/recipes: shows the recipes and the guides. */
export function recipesPage(request: StoreRequest): HandlerResult {
  const { apiUrl } = request.services
  const guides = GUIDES.map(({ name, ...guide }) => ({ ...guide, href: `${apiUrl}/guides/${name}` }))
  const page = { recipes: recipesFor(apiUrl), docsUrl: `${apiUrl}/docs`, guides }
  return { html: recipesView(frameOf(request, { title: 'Recipes', section: 'recipes' }), page) }
}

/** The guides to syncing, with their names in the API's URLs. */
const GUIDES = [
  {
    name: 'store-sync',
    title: 'store-sync',
    note: 'A command that keeps a copy in SQLite, DuckDB, PostgreSQL, MySQL, CSV, Excel, or Parquet.',
  },
  { name: 'client', title: 'TypeScript client', note: 'A typed client that pages, waits and retries by itself.' },
  { name: 'incremental-sync', title: 'Incremental sync', note: 'How to read only changes, in five languages.' },
]
