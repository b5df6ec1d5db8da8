// Renders a block of code with a copy button, and syntax colors for JSON. The button needs the script, so it is hidden
// until the script shows it.

import type { Localization } from '../texts/languages.ts'
import { type Html, html, NOTHING } from './html.ts'

/** The text of a block, and how to show it. */
export interface CodeOptions {
  /** ID of the element with the text; unique on the page. */
  readonly id: string
  /** A name for screen readers: "Shell command". */
  readonly label: string
  readonly text: string
  readonly language?: 'json' | 'text'
  /** Whether long lines wrap instead of scrolling. */
  readonly isWrapped?: boolean
  /**
   * Whether the script removes the text when the merchant leaves the page, because browsers can restore a page from
   * their cache.
   */
  readonly isSecret?: boolean
  /** Whether copying is the main action of the page. */
  readonly isMain?: boolean
}

/** Returns a block of code with a copy button. */
export function codeBlock(localization: Localization, options: CodeOptions): Html {
  const { id, label, text, language, isWrapped, isSecret } = options
  const content = language === 'json' ? jsonCode(text) : text
  return html`<div class="code-block">
<pre class="${isWrapped ? 'wrapped' : ''}" tabindex="0" role="region" aria-label="${label}"><code id="${id}"${isSecret ? html` data-secret` : NOTHING}>${content}</code></pre>
${copyButton(localization, options)}
</div>`
}

/** Returns a button that copies the text of the block. */
function copyButton({ texts }: Localization, { id, label, isMain }: CodeOptions): Html {
  return html`<button type="button" class="button ${isMain ? 'main' : 'plain'} copy" data-copy="${id}" hidden><span data-copy-label>${texts.common.copy}</span><span class="visually-hidden"> ${label}</span></button>`
}

/** Returns the text with a class for each name and value of JSON. The text does not change, even if it isn't JSON. */
export function jsonCode(text: string): Html {
  // The pattern has one group around the whole token, so `split` returns other text and tokens alternately.
  const parts = text.split(TOKEN)
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : token(part)))}`
}

/**
 * Matches a string (with its colon if it is a name), a number, true, false or null. The closing quote of a string is
 * optional. Otherwise, the match would take quadratic time on a string without an end.
 */
const TOKEN = /("(?:[^"\\\n]|\\.)*"?:?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b)/

function token(part: string): Html {
  if (part.endsWith('":')) return html`<span class="json-name">${part.slice(0, -1)}</span>:`
  if (part.startsWith('"')) return html`<span class="json-text">${part}</span>`
  return html`<span class="${part === 'null' ? 'json-null' : 'json-value'}">${part}</span>`
}
