// Renders the page of one row: the JSON that the API sends.

import { codeBlock } from '../ui/code-block.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { count } from '../ui/dates.ts'
import { type Html, html } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { DataRowPage, Frame } from './models.ts'

/** Returns the page of one row, with a link to its JSON as a file. */
export function dataRowView(frame: Frame, page: DataRowPage): Html {
  const head = pageHead({
    title: page.label,
    lead: html`<code>${page.id}</code>`,
    trail: [{ label: 'Data', href: pathsOf(frame).data(page.list) }],
  })
  const json = codeBlock({ id: 'json', label: 'JSON of the row', text: page.json.text, language: 'json' })
  const note = html`The response to <code>GET ${page.apiPath}</code>.`
  const file = html`<a class="button plain" href="${page.jsonHref}" download>${ICONS.download}Download JSON</a>`
  const content = page.json.isWhole ? json : html`${callout(tooLong(frame, page), 'waiting')}${json}`
  return layout(frame, html`${head}${card({ id: 'row', title: 'JSON', note, actions: file }, content)}`)
}

function tooLong(frame: Frame, { json }: DataRowPage): Html {
  const kilobytes = (bytes: number) => `${count(Math.ceil(bytes / 1000), frame)} kB`
  return html`This row is large (${kilobytes(json.bytes)}), so the page shows only the beginning. Download the JSON to see all of it.`
}
