// Data: the rows that an integrator receives, list by list, with a search.

import { stateBadge } from '../ui/badges.ts'
import { callout, emptyState, pageHead } from '../ui/components.ts'
import { count, exactTime } from '../ui/dates.ts'
import { field, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { noValue, table } from '../ui/table.ts'
import type { DataPage, Frame, TableCell } from './models.ts'

/** The whole page. */
export function dataView(frame: Frame, page: DataPage): Html {
  const files = page.files.map(
    ({ label, href }) =>
      html`<a class="button plain" href="${href}" download>${ICONS.download}<span>${label} CSV</span></a>`,
  )
  const head = pageHead({ title: 'Data', lead: 'What your tools receive, row by row.', actions: html`${files}` })
  return layout(
    frame,
    html`${head}${listTabs(frame, page)}
<div class="card flush data"><div class="data-bar">${searchForm(frame, page)}${orderLink(page)}</div>${rowsPart(frame, page)}</div>`,
  )
}

function listTabs(frame: Frame, { list: current, lists }: DataPage): Html {
  const paths = pathsOf(frame)
  const items = lists.map(
    ({ list, label, rows }) =>
      html`<li><a href="${paths.data(list)}"${list === current ? html` aria-current="page"` : NOTHING}>${label}${
        rows === null ? NOTHING : html` <span class="tab-count">${count(rows, frame)}</span>`
      }</a></li>`,
  )
  return html`<nav class="tabs" aria-label="Lists"><ul>${items}</ul></nav>`
}

function orderLink({ order, otherOrderHref }: DataPage): Html {
  const [now, other] =
    order === 'newest' ? ['Newest first', 'Show oldest first'] : ['Oldest first', 'Show newest first']
  return html`<p class="note data-order">${now} · <a href="${otherOrderHref}">${other}</a></p>`
}

function searchForm(frame: Frame, { list, order, search }: DataPage): Html {
  const input = field({
    name: 'find',
    label: `Find by ${search.by}`,
    type: 'search',
    value: search.text,
    problem: search.problem,
    autocomplete: 'off',
    lengthMax: 100,
    isRequired: false,
    isCode: true,
  })
  return html`<search><form class="form search" method="get" action="${pathsOf(frame).data(list)}">${order === 'oldest' ? html`<input type="hidden" name="order" value="oldest">` : NOTHING}${input}<button type="submit" class="button plain">Find</button></form></search>`
}

function rowsPart(frame: Frame, page: DataPage): Html {
  if (page.problem !== null) return problemPart(callout(page.problem, 'waiting'))
  if (page.rows.length === 0) return noRows(frame, page)
  const { columns, rows } = page
  const list = table({
    caption: labelOf(page),
    columns: columns.map(({ label, kind }) => ({ label, isNumber: kind === 'money' || kind === 'number' })),
    rows: rows.map(({ id, cells }) =>
      cells.map((cell, at) => (at === 0 ? opener({ frame, page, id, cell }) : cellText(frame, cell))),
    ),
    bodyId: 'rows',
  })
  return html`${list}${problemPart(NOTHING)}<div class="data-foot">${rowsNote(frame, page)}${pager(page)}</div>`
}

/** Place for the script's error message, beside the button that loads further rows. */
function problemPart(content: Html): Html {
  return html`<div id="rows-problem" role="alert">${content}</div>`
}

function rowsNote(frame: Frame, { apiPath, order, search }: DataPage): Html {
  if (search.reached !== null) return html`<p class="note">${searchedTo(frame, order, search.reached)}</p>`
  if (apiPath === null) return html`<p class="note">Upper and lower case count in an e-mail address and a SKU.</p>`
  const way =
    order === 'newest' && search.text === '' ? 'The API sends these rows, oldest first' : 'The same rows at the API'
  return html`<p class="note">${way}: <code>GET ${apiPath}</code></p>`
}

function searchedTo(frame: Frame, order: DataPage['order'], reached: Date): Html {
  const side = order === 'newest' ? 'Rows created since' : 'Rows created until'
  return html`${side} ${exactTime(reached, frame)} were searched.`
}

function labelOf({ list, lists }: DataPage): string {
  return lists.find((one) => one.list === list)?.label ?? 'Rows'
}

function noRows(frame: Frame, page: DataPage): Html {
  const { search, nextHref } = page
  if (search.reached !== null && nextHref !== null) {
    const text = html`No row was found yet. ${searchedTo(frame, page.order, search.reached)}`
    return emptyState('Nothing found so far', text, linkButton('Search further', nextHref))
  }
  if (search.text !== '') {
    const list = linkButton('Show the list', pathsOf(frame).data(page.list))
    return emptyState('Nothing found', 'Check what you typed, or look through the list.', list)
  }
  return emptyState(`No ${labelOf(page).toLowerCase()} yet`, 'As soon as your store has some, they are listed here.')
}

interface Opener {
  readonly frame: Frame
  readonly page: DataPage
  readonly id: string
  readonly cell: TableCell
}

/** The first cell opens the row. */
function opener({ frame, page, id, cell }: Opener): Html {
  const words = cell.text === null ? html`<code>${id}</code>` : cellText(frame, cell)
  return html`<a href="${pathsOf(frame).dataRow(page.list, id)}">${words}</a>`
}

function cellText(frame: Frame, { kind, text }: TableCell): Html | string {
  if (text === null || text === '') return noValue()
  if (kind === 'status') return stateBadge(text)
  if (kind === 'id') return html`<code>${text}</code>`
  if (kind !== 'instant') return html`<span class="cell-text">${text}</span>`
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : exactTime(date, frame)
}

/** With the script, further rows are put below; without it, and for a search, this is the next page. */
function pager({ firstHref, nextHref, search }: DataPage): Html {
  const first =
    firstHref === null ? NOTHING : linkButton(search.text === '' ? 'First page' : 'Show the list', firstHref)
  return html`<div class="actions" id="pager">${first}${nextHref === null ? NOTHING : next(nextHref, search)}</div>`
}

function next(href: string, { text, reached }: DataPage['search']): Html {
  if (text !== '') return linkButton(reached === null ? 'Next rows' : 'Search further', href)
  return html`<a class="button plain" href="${href}" hx-get="${href}" hx-target="#rows" hx-select="#rows > tr" hx-select-oob="#pager,#rows-problem" hx-swap="beforeend">Next rows</a>`
}
