// One row of a list, opened: as the API gives it.

import { addressesOf } from '../look/addresses.ts'
import { codeBlock } from '../look/code.ts'
import { card, pageHead } from '../look/components.ts'
import { type Html, html } from '../look/html.ts'
import { layout } from '../look/layout.ts'
import type { DataRowPage, Frame } from './models.ts'

/** The whole page. */
export function dataRowView(frame: Frame, page: DataRowPage): Html {
  const head = pageHead({
    title: page.label,
    lead: html`<code>${page.id}</code>`,
    trail: [{ label: 'Data', href: addressesOf(frame).data(page.list) }],
  })
  const json = codeBlock({ id: 'json', label: 'The row as JSON', text: page.json, language: 'json' })
  const note = html`What <code>GET ${page.apiPath}</code> answers.`
  return layout(frame, html`${head}${card({ id: 'row', title: 'JSON', note }, json)}`)
}
