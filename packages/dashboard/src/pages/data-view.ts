// Data: what an integrator will receive, list by list, with a search by id.

import { addressesOf } from '../look/addresses.ts'
import { callout, emptyState, pageHead } from '../look/components.ts'
import { count, exactInstant } from '../look/dates.ts'
import { field, linkButton } from '../look/forms.ts'
import { type Html, html, NOTHING } from '../look/html.ts'
import { ICONS } from '../look/icons.ts'
import { layout } from '../look/layout.ts'
import { rowBadge } from '../look/states.ts'
import { noValue, table } from '../look/table.ts'
import type { Cell, DataPage, Frame } from './models.ts'

/** The whole page. */
export function dataView(frame: Frame, page: DataPage): Html {
  const csv =
    page.csvHref === null
      ? NOTHING
      : html`<a class="button plain" href="${page.csvHref}" download>${ICONS.download}Download CSV</a>`
  const head = pageHead({ title: 'Data', lead: 'What your tools receive, row by row.', actions: csv })
  return layout(
    frame,
    html`${head}${listTabs(frame, page)}
${page.problem ? callout(page.problem, 'waiting') : NOTHING}
<div class="card flush data"><div class="data-bar">${searchForm(frame, page)}</div>${rowsPart(frame, page)}</div>`,
  )
}

function listTabs(frame: Frame, { list: current, lists }: DataPage): Html {
  const addresses = addressesOf(frame)
  const items = lists.map(
    ({ list, label, rows }) =>
      html`<li><a href="${addresses.data(list)}"${list === current ? html` aria-current="page"` : NOTHING}>${label}${
        rows === null ? NOTHING : html` <span class="tab-count">${count(rows, frame)}</span>`
      }</a></li>`,
  )
  return html`<nav class="tabs" aria-label="Lists"><ul>${items}</ul></nav>`
}

function searchForm(frame: Frame, { list, search }: DataPage): Html {
  const input = field({
    name: 'id',
    label: 'Find by id',
    type: 'search',
    value: search.text,
    problem: search.problem,
    autocomplete: 'off',
    lengthMax: 100,
    isRequired: false,
    isCode: true,
  })
  return html`<search><form class="form search" method="get" action="${addressesOf(frame).data(list)}">${input}<button type="submit" class="button plain">Find</button></form></search>`
}

function rowsPart(frame: Frame, page: DataPage): Html {
  if (page.rows.length === 0) return page.problem === null ? noRows(frame, page) : NOTHING
  const { columns, rows } = page
  const list = table({
    caption: labelOf(page),
    columns: columns.map(({ label, kind }) => ({ label, isNumber: kind === 'money' || kind === 'number' })),
    rows: rows.map(({ id, cells }) =>
      cells.map((cell, at) => (at === 0 ? opener({ frame, page, id, cell }) : cellText(frame, cell))),
    ),
    bodyId: 'rows',
  })
  return html`${list}<div class="data-foot"><p class="note">The same rows at the API: <code>GET ${page.apiPath}</code></p>${pager(page)}</div>`
}

function labelOf({ list, lists }: DataPage): string {
  return lists.find((one) => one.list === list)?.label ?? 'Rows'
}

function noRows(frame: Frame, page: DataPage): Html {
  if (page.search.problem !== null || page.search.text !== '') {
    return emptyState(
      'Nothing found',
      'Check the id, or look through the list.',
      linkButton('Show the list', addressesOf(frame).data(page.list)),
    )
  }
  return emptyState(`No ${labelOf(page).toLowerCase()} yet`, 'As soon as your store has some, they are listed here.')
}

interface Opener {
  readonly frame: Frame
  readonly page: DataPage
  readonly id: string
  readonly cell: Cell
}

/** The first cell opens the row. */
function opener({ frame, page, id, cell }: Opener): Html {
  const words = cell.text === null ? html`<code>${id}</code>` : cellText(frame, cell)
  return html`<a href="${addressesOf(frame).dataRow(page.list, id)}">${words}</a>`
}

function cellText(frame: Frame, { kind, text }: Cell): Html | string {
  if (text === null || text === '') return noValue()
  if (kind === 'status') return rowBadge(text)
  if (kind === 'id') return html`<code>${text}</code>`
  if (kind !== 'instant') return html`<span class="cell-text">${text}</span>`
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : exactInstant(date, frame)
}

/** With the script, further rows are put below; without it, this is the next page. */
function pager({ firstHref, nextHref }: DataPage): Html {
  const first = firstHref === null ? NOTHING : linkButton('First page', firstHref)
  const next =
    nextHref === null
      ? NOTHING
      : html`<a class="button plain" href="${nextHref}" hx-get="${nextHref}" hx-target="#rows" hx-select="#rows > tr" hx-select-oob="#pager" hx-swap="beforeend">Next rows</a>`
  return html`<div class="actions" id="pager">${first}${next}</div>`
}
