// Renders the Markdown of a guide as HTML. Raw HTML and images are left out, so a page can't violate the content
// security policy. guides.ts imports this module at the first request for a guide, so that the service doesn't load the
// Markdown parser at startup.

import { Marked, type Tokens } from 'marked'
import { escapeHtml } from './html.ts'

/**
 * Returns the HTML of a guide. `address` maps the target of a link to another address. If it returns null, the link
 * becomes plain text.
 */
export function guideHtml(markdown: string, address: (target: string) => string | null): string {
  const anchors = new Set<string>()
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        return `<h${depth} id="${anchorOf(text, anchors)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const to = address(href)
        return to === null ? words : `<a href="${escapeHtml(to)}">${words}</a>`
      },
      // With `tabindex`, the keyboard can scroll code that is wider than the page.
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      image: () => '',
      html: () => '',
    },
  })
  const html = String(marked.parse(markdown))
  // A wide table scrolls in its box, instead of the page.
  return html.replaceAll('<table>', '<div class="wide"><table>').replaceAll('</table>', '</table></div>')
}

/**
 * Returns the anchor of a heading by GitHub's rules, because links in docs/ use these anchors. Repeated anchors get a
 * number.
 */
function anchorOf(heading: string, used: Set<string>): string {
  const text = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  const anchor = text.trim().replaceAll(/\s/g, '-')
  let unique = anchor
  for (let n = 1; used.has(unique); n++) unique = `${anchor}-${n}`
  used.add(unique)
  return unique
}
