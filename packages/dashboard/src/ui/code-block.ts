// Text to copy, and JSON with a little colour. A copy button appears only where the script runs that makes it work.

import { type Html, html, NOTHING } from './html.ts'

/** A block of code. */
export interface CodeOptions {
  /** Unique in the page. */
  readonly id: string
  /** What it is, for readers of the screen and for what is said after copying: "Command for a shell". */
  readonly label: string
  readonly text: string
  readonly language?: 'json' | 'text'
  /** Breaks long lines rather than scrolling. */
  readonly isWrapped?: boolean
  /** Taken out of the document when the page is left. */
  readonly isSecret?: boolean
  /** Whether to copy it is the page's main step. */
  readonly isMain?: boolean
}

/** The block with its copy button. */
export function codeBlock(options: CodeOptions): Html {
  const { id, label, text, language, isWrapped, isSecret } = options
  const content = language === 'json' ? jsonCode(text) : text
  return html`<div class="code-block">
<pre class="${isWrapped ? 'wrapped' : ''}" tabindex="0" role="region" aria-label="${label}"><code id="${id}"${isSecret ? html` data-secret` : NOTHING}>${content}</code></pre>
${copyButton(id, label, options.isMain)}
</div>`
}

/** Copies the text of the element called `id`; unseen until the script shows it. */
function copyButton(id: string, label: string, isMain = false): Html {
  return html`<button type="button" class="button ${isMain ? 'main' : 'plain'} copy" data-copy="${id}" hidden><span data-copy-label>Copy</span><span class="visually-hidden"> ${label}</span></button>`
}

/** JSON with its parts told apart by class; any other text comes out as it is. */
export function jsonCode(text: string): Html {
  // Plain parts and tokens take turns, since the pattern has one group around the whole of a token.
  const parts = text.split(TOKEN)
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : token(part)))}`
}

/** A string (with its colon where it is a name), a number, or a word. A string may lack its end, or time would be squared. */
const TOKEN = /("(?:[^"\\\n]|\\.)*"?:?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b)/

function token(part: string): Html {
  if (part.endsWith('":')) return html`<span class="json-name">${part.slice(0, -1)}</span>:`
  if (part.startsWith('"')) return html`<span class="json-text">${part}</span>`
  return html`<span class="${part === 'null' ? 'json-null' : 'json-value'}">${part}</span>`
}
