// Recipes to copy, with the address of this API in them.

import { recipesView } from '../pages/recipes-view.ts'
import { recipesFor } from '../recipes/recipes.ts'
import { type Answer, frameOf, type StoreVisit } from './visit.ts'

/** GET /stores/{s}/recipes */
export function recipesPage(visit: StoreVisit): Answer {
  const { apiUrl } = visit.parts
  const page = { recipes: recipesFor(apiUrl), docsUrl: `${apiUrl}/docs` }
  return { html: recipesView(frameOf(visit, { title: 'Recipes', section: 'recipes' }), page) }
}
