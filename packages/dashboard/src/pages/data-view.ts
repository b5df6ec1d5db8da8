// Renders the Data pages: the rows that the API returns, list by list, with a search.

import { callout, emptyState, pageHead } from '../ui/components.ts'
import { count, exactTime } from '../ui/dates.ts'
import { field, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { cellText, isNumeric } from './cell-text.ts'
import type { DataPage, Frame, TableCell } from './models.ts'

/**
 * Returns a page of a list: tabs, search, table, and links to other pages and to CSV files. The page of a store that is
 * not ready has only the reason.
 */
export function dataView(frame: Frame, page: DataPage): Html {
  const { data: texts } = frame.texts
  const files = page.files.map(({ label, href }) => {
    const name = texts.csv(listName(frame, label))
    return html`<a class="button plain" href="${href}" download>${ICONS.download}<span>${name}</span></a>`
  })
  const head = pageHead(frame, { title: texts.title, lead: texts.lead, actions: html`${files}` })
  if (frame.store?.status !== 'ready' && page.problem !== null)
    return layout(frame, head, callout(page.problem, 'waiting'))
  const bar = html`<div class="data-bar">${searchForm(frame, page)}${orderLink(frame, page)}</div>`
  return layout(
    frame,
    html`${head}${listTabs(frame, page)}
<div class="card flush data">${isEmpty(page) ? NOTHING : bar}${rowsPart(frame, page)}</div>`,
  )
}

/** Whether the list has no rows to search, or can't be read. */
function isEmpty({ rows, search, firstHref, problem }: DataPage): boolean {
  return problem !== null || (rows.length === 0 && search.text === '' && firstHref === null)
}

function listTabs(frame: Frame, { list: current, lists }: DataPage): Html {
  const paths = pathsOf(frame)
  const items = lists.map(
    ({ list, label, rows }) =>
      html`<li><a href="${paths.data(list)}"${list === current ? html` aria-current="page"` : NOTHING}>${listName(frame, label)}${
        rows === null ? NOTHING : html` <span class="tab-count">${count(rows, frame)}</span>`
      }</a></li>`,
  )
  return html`<nav class="tabs" aria-label="${frame.texts.data.lists}"><ul>${items}</ul></nav>`
}

/** Returns the name of a list or a file as a label. */
function listName({ texts }: Frame, name: string): string {
  return texts.contract.name(name)
}

function orderLink({ texts }: Frame, { order, otherOrderHref }: DataPage): Html {
  const { now, other } = texts.data.order[order]
  return html`<p class="note data-order">${now} · <a href="${otherOrderHref}">${other}</a></p>`
}

function searchForm(frame: Frame, { list, order, search }: DataPage): Html {
  const { data: texts, contract } = frame.texts
  const input = field({
    name: 'find',
    label: texts.findBy(contract.searchedFields(search.by)),
    type: 'search',
    value: search.text,
    problem: search.problem,
    autocomplete: 'off',
    // `makeDataPage` uses no more characters.
    lengthMax: 100,
    isRequired: false,
    isCode: true,
  })
  return html`<search><form class="form search" method="get" action="${pathsOf(frame).data(list)}">${order === 'oldest' ? html`<input type="hidden" name="order" value="oldest">` : NOTHING}${input}<button type="submit" class="button plain">${texts.find}</button></form></search>`
}

function rowsPart(frame: Frame, page: DataPage): Html {
  if (page.problem !== null) return problemPart(callout(page.problem, 'waiting'))
  if (page.rows.length === 0) return noRows(frame, page)
  const { columns, rows } = page
  const list = table({
    caption: labelOf(frame, page),
    columns: columns.map(({ label, kind }) => ({
      label: frame.texts.contract.column(label),
      isNumber: isNumeric(kind),
    })),
    rows: rows.map(({ id, cells }) =>
      cells.map((cell, at) => (at === 0 ? opener({ frame, page, id, cell }) : cellText(frame, cell))),
    ),
    bodyId: 'rows',
  })
  return html`${list}${problemPart(NOTHING)}<div class="data-foot">${rowsNote(frame, page)}${pager(frame, page)}</div>`
}

/** Returns the element for the error message of the script that loads more rows. */
function problemPart(content: Html): Html {
  return html`<div id="rows-problem" role="alert">${content}</div>`
}

function rowsNote(frame: Frame, { apiPath, order, search }: DataPage): Html {
  const { data: texts } = frame.texts
  if (search.reached !== null) return html`<p class="note">${searchedTo(frame, order, search.reached)}</p>`
  if (apiPath === null) return html`<p class="note">${texts.caseSensitive}</p>`
  const label = order === 'newest' && search.text === '' ? texts.apiRequestOldestFirst : texts.apiRequest
  return html`<p class="note">${label}: <code>GET ${apiPath}</code></p>`
}

function searchedTo(frame: Frame, order: DataPage['order'], reached: Date): Html {
  const { searchedSince, searchedUntil } = frame.texts.data
  const time = exactTime(reached, frame)
  return order === 'newest' ? searchedSince(time) : searchedUntil(time)
}

function labelOf(frame: Frame, { list, lists }: DataPage): string {
  return listName(frame, lists.find((one) => one.list === list)?.label ?? list)
}

function noRows(frame: Frame, page: DataPage): Html {
  const { search, nextHref } = page
  const { data: texts } = frame.texts
  if (search.reached !== null && nextHref !== null) {
    const text = searchedTo(frame, page.order, search.reached)
    return emptyState(texts.noMatchesYet, text, linkButton(texts.keepSearching, nextHref))
  }
  if (search.text !== '') {
    const list = linkButton(texts.showAll, pathsOf(frame).data(page.list))
    return emptyState(texts.noMatches.heading, texts.noMatches.text, list)
  }
  const { heading, text } = texts.noRows(labelOf(frame, page))
  return emptyState(heading, text)
}

interface Opener {
  readonly frame: Frame
  readonly page: DataPage
  readonly id: string
  readonly cell: TableCell
}

/**
 * Returns the first cell: the name of the row, which links to its page, and the ID. A row without a name has its ID.
 */
function opener({ frame, page, id, cell }: Opener): Html {
  const link = (content: Html | string) => html`<a href="${pathsOf(frame).dataRow(page.list, id)}">${content}</a>`
  if (cell.text === null || cell.text === '') return link(html`<code>${id}</code>`)
  return html`${link(cellText(frame, cell))}<code class="row-id">${id}</code>`
}

/** Returns the links to other pages. With the script, and without a search, "Load more" adds the rows to the table. */
function pager(frame: Frame, { firstHref, nextHref, search }: DataPage): Html {
  const { firstPage, showAll } = frame.texts.data
  const first = firstHref === null ? NOTHING : linkButton(search.text === '' ? firstPage : showAll, firstHref)
  return html`<div class="actions" id="pager">${first}${nextHref === null ? NOTHING : next(frame, nextHref, search)}</div>`
}

function next({ texts }: Frame, href: string, { text, reached }: DataPage['search']): Html {
  const { loadMore, keepSearching } = texts.data
  if (text !== '') return linkButton(reached === null ? loadMore : keepSearching, href)
  return html`<a class="button plain" href="${href}" hx-get="${href}" hx-target="#rows" hx-select="#rows > tr" hx-select-oob="#pager,#rows-problem" hx-swap="beforeend">${loadMore}</a>`
}
