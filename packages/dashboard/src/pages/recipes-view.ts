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
  const { recipes: texts } = frame.texts
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(pathsOf(frame).api),
    actions: linkButton(texts.reference, page.docsUrl),
  })
  const links = page.recipes.map(({ id, title }) => html`<li><a href="#recipe-${id}">${title}</a></li>`)
  return layout(
    frame,
    html`${head}${guidesCard(frame, page)}<nav class="tabs jump" aria-label="${texts.title}"><ul>${links}</ul></nav>${page.recipes.map((recipe) => recipeCard(frame, recipe))}`,
  )
}

function guidesCard(frame: Frame, { guides }: RecipesPage): Html {
  const { recipes: texts } = frame.texts
  const items = guides.map(({ name, href }) => {
    const { title, note } = texts.guides[name]
    const link = html`<a href="${href}">${texts.openGuide}<span class="visually-hidden">: ${title}</span></a>`
    return { label: title, text: html`${note} ${link}` }
  })
  return card({ id: 'guides', title: texts.syncStore }, facts(items))
}

function recipeCard(frame: Frame, { id, title, language, code }: Recipe): Html {
  const { note, steps } = frame.texts.recipes.recipes[id]
  const block = codeBlock(frame, {
    id: `code-${id}`,
    label: title,
    text: code,
    language: language === 'json' ? 'json' : 'text',
  })
  return card({ id: `recipe-${id}`, title, note }, html`${recipeSteps(steps)}${block}`)
}

/** Returns the steps to use a recipe as a list; nothing without steps. */
export function recipeSteps(steps: readonly string[]): Html {
  return steps.length === 0 ? NOTHING : html`<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>`
}
