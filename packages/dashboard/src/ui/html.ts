// Defines HTML fragments. Hono's template tag escapes every value that is not a fragment, and no view bypasses it.

import { html } from 'hono/html'
import type { Localization } from '../texts/languages.ts'

export { html }

/** A fragment of HTML in which all values are escaped. */
export type Html = ReturnType<typeof html>

/** An empty fragment, for parts that a page does not have. */
export const NOTHING: Html = html``

/** Returns English text of the API, such as the note of a field, for a page in any language. */
export function inEnglish({ language }: Localization, text: string): Html {
  return language === 'en' ? html`${text}` : html`<span lang="en" dir="ltr">${text}</span>`
}

/** Returns the text of HTML: removes the tags, and decodes the entities that Hono's template tag writes. */
export function plainText(content: Html): string {
  return String(content)
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
