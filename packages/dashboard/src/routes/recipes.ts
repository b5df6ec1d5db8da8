// Handles requests for the page of recipes.

import type { GuideName } from '../pages/models.ts'
import { recipesView } from '../pages/recipes-view.ts'
import { recipesFor } from '../recipes/recipes.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'

/** GET /stores/{s}/recipes: shows the recipes and the guides. */
export function recipesPage(request: StoreRequest): HandlerResult {
  const { apiUrl } = request.services
  const guides = GUIDES.map((name) => ({ name, href: `${apiUrl}/guides/${name}` }))
  const page = { recipes: recipesFor(apiUrl), docsUrl: `${apiUrl}/docs`, guides }
  return { html: recipesView(frameOf(request, { title: request.texts.recipes.title, section: 'recipes' }), page) }
}

/** The guides to syncing, in the order of the page. */
const GUIDES: readonly GuideName[] = ['store-sync', 'client', 'incremental-sync']
