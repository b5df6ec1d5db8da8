// Recipes to copy, with the address of this API in them.

import { recipesView } from '../pages/recipes-view.ts'
import { recipesFor } from '../recipes/recipes.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'

/** GET /stores/{s}/recipes */
export function recipesPage(request: StoreRequest): HandlerResult {
  const { apiUrl } = request.services
  const guides = GUIDES.map(({ name, ...guide }) => ({ ...guide, href: `${apiUrl}/guides/${name}` }))
  const page = { recipes: recipesFor(apiUrl), docsUrl: `${apiUrl}/docs`, guides }
  return { html: recipesView(frameOf(request, { title: 'Recipes', section: 'recipes' }), page) }
}

/** The guides that lead furthest, by their names in the API's paths. */
const GUIDES = [
  {
    name: 'store-sync',
    title: 'store-sync',
    note: 'A command that keeps a copy in SQLite, PostgreSQL, CSV, Excel or Parquet. No code to write.',
  },
  { name: 'client', title: 'TypeScript client', note: 'Reads pages, waits and retries by itself, with types.' },
  { name: 'incremental-sync', title: 'Incremental sync', note: 'The loop that misses no change, in five languages.' },
]
