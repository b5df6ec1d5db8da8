// Defines HTML fragments. Hono's template tag escapes every value, and no view bypasses it.

import { html } from 'hono/html'

export { html }

/** A fragment of HTML in which all values are escaped. */
export type Html = ReturnType<typeof html>

/** An empty fragment, for parts that a page does not have. */
export const NOTHING: Html = html``

/** Returns the text of HTML without its tags. */
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
