// Renders the page of one row: a summary of its values, its embedded rows, and the JSON that the API sends.

import { codeBlock } from '../ui/code-block.ts'
import { callout, card, facts, pageHead } from '../ui/components.ts'
import { measure } from '../ui/dates.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { cellText, isNumeric } from './cell-text.ts'
import type { DataRowPage, Frame, RowSummary } from './models.ts'

/** Returns the page of one row, with a link to its JSON as a file. */
export function dataRowView(frame: Frame, page: DataRowPage): Html {
  const { data, contract } = frame.texts
  const { row: texts } = data
  const { summary } = page
  const head = pageHead(frame, {
    title: contract.name(page.label),
    lead: html`<code>${page.id}</code>`,
    trail: [{ label: data.title, href: pathsOf(frame).data(page.list) }],
  })
  const tables = summary.tables.map((each, at) => embeddedCard(frame, each, `embedded-${at}`))
  return layout(
    frame,
    html`${head}${factsCard(frame, { id: 'summary', title: texts.summary }, summary.facts)}${tables}${factsCard(frame, { id: 'amounts', title: texts.amounts }, summary.amounts)}${jsonCard(frame, page)}`,
  )
}

function factsCard(
  frame: Frame,
  head: { readonly id: string; readonly title: string },
  list: RowSummary['facts'],
): Html {
  if (list.length === 0) return NOTHING
  const { contract } = frame.texts
  return card(
    head,
    facts(list.map(({ label, cell }) => ({ label: contract.column(label), text: cellText(frame, cell) }))),
  )
}

function embeddedCard(frame: Frame, { label, columns, rows, all }: RowSummary['tables'][number], id: string): Html {
  if (rows.length === 0) return NOTHING
  const { contract, data } = frame.texts
  const title = contract.name(label)
  const list = table({
    caption: title,
    columns: columns.map((column) => ({ label: contract.column(column.label), isNumber: isNumeric(column.kind) })),
    rows: rows.map((cells) => cells.map((cell) => cellText(frame, cell))),
  })
  const note = rows.length < all ? { note: data.row.firstOf(rows.length, all) } : {}
  return card({ id, title, isFlush: true, ...note }, list)
}

function jsonCard(frame: Frame, page: DataRowPage): Html {
  const { row: texts } = frame.texts.data
  const json = codeBlock(frame, { id: 'json', label: texts.json, text: page.json.text, language: 'json' })
  const file = html`<a class="button plain" href="${page.jsonHref}" download>${ICONS.download}${texts.download}</a>`
  const content = page.json.isWhole ? json : html`${callout(tooLong(frame, page), 'waiting')}${json}`
  return card({ id: 'row', title: 'JSON', note: texts.note(page.apiPath), actions: file }, content)
}

function tooLong(frame: Frame, { json }: DataRowPage): string {
  return frame.texts.data.row.isLarge(measure(Math.ceil(json.bytes / 1000), 'kilobyte', frame))
}
