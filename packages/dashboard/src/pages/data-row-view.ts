// Renders the page of one row: the JSON that the API sends.

import { codeBlock } from '../ui/code-block.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { measure } from '../ui/dates.ts'
import { type Html, html } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { DataRowPage, Frame } from './models.ts'

/** Returns the page of one row, with a link to its JSON as a file. */
export function dataRowView(frame: Frame, page: DataRowPage): Html {
  const { data, contract } = frame.texts
  const { row: texts } = data
  const head = pageHead(frame, {
    title: contract.name(page.label),
    lead: html`<code>${page.id}</code>`,
    trail: [{ label: data.title, href: pathsOf(frame).data(page.list) }],
  })
  const json = codeBlock(frame, { id: 'json', label: texts.json, text: page.json.text, language: 'json' })
  const note = texts.note(page.apiPath)
  const file = html`<a class="button plain" href="${page.jsonHref}" download>${ICONS.download}${texts.download}</a>`
  const content = page.json.isWhole ? json : html`${callout(tooLong(frame, page), 'waiting')}${json}`
  return layout(frame, html`${head}${card({ id: 'row', title: 'JSON', note, actions: file }, content)}`)
}

function tooLong(frame: Frame, { json }: DataRowPage): string {
  return frame.texts.data.row.isLarge(measure(Math.ceil(json.bytes / 1000), 'kilobyte', frame))
}
