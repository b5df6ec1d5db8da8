// Renders the recipes: code to copy into a tool.

import { codeBlock } from '../ui/code-block.ts'
import { card, facts, pageHead } from '../ui/components.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { Frame, Recipe, RecipesPage } from './models.ts'

/** Returns the page of recipes, with a copy button for each. */
export function recipesView(frame: Frame, page: RecipesPage): Html {
  const head = pageHead({
    title: 'Recipes',
    lead: html`Code that you can copy into a tool. You need <a href="${pathsOf(frame).api}">a key</a>. Each recipe retries by itself, and all except Power Query resume after a stop.`,
    actions: linkButton('API reference', page.docsUrl),
  })
  const links = page.recipes.map(({ id, title }) => html`<li><a href="#recipe-${id}">${title}</a></li>`)
  return layout(
    frame,
    html`${head}${guidesCard(page)}<nav class="tabs jump" aria-label="Recipes"><ul>${links}</ul></nav>${page.recipes.map(recipeCard)}`,
  )
}

function guidesCard({ guides }: RecipesPage): Html {
  const items = guides.map(({ title, note, href }) => ({
    label: title,
    text: html`${note} <a href="${href}">Open the guide<span class="visually-hidden">: ${title}</span></a>`,
  }))
  return card({ id: 'guides', title: 'Sync your whole store' }, facts(items))
}

function recipeCard({ id, title, note, steps = [], language, code }: Recipe): Html {
  const block = codeBlock({
    id: `code-${id}`,
    label: title,
    text: code,
    language: language === 'json' ? 'json' : 'text',
  })
  const list =
    steps.length === 0 ? NOTHING : html`<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>`
  return card({ id: `recipe-${id}`, title, note }, html`${list}${block}`)
}
