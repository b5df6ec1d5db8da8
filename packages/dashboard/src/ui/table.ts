// Renders tables. In a narrow region, the rows become cards. Browsers drop the roles of table elements that CSS lays
// out as cards, so the elements repeat their roles. A table that is still too wide scrolls in its own region, which the
// keyboard can reach.

import type { Localization } from '../texts/languages.ts'
import { type Html, html, NOTHING } from './html.ts'

/** The heading of a column, and whether its cells are numbers. */
export interface Column {
  readonly label: string
  readonly isNumber?: boolean
  /** Whether only screen readers get the heading, for example above buttons. Cards then show no label for the cell. */
  readonly isVisuallyHidden?: boolean
}

/** The content of a table, and how to show it. */
export interface TableOptions {
  /** The name of the table, for screen readers only. */
  readonly caption: string
  readonly columns: readonly Column[]
  /** One cell for each column. The first cell is the row's heading. */
  readonly rows: readonly (readonly (Html | string)[])[]
  /** The ID of the body, if htmx adds rows to it. */
  readonly bodyId?: string
  /** The index of the row to highlight; absent for none. */
  readonly selectedRow?: number
}

/** Returns a table in a region that the keyboard can reach and scroll. */
export function table(options: TableOptions): Html {
  const { caption, columns, rows, bodyId, selectedRow } = options
  const heads = columns.map(
    ({ label, isNumber, isVisuallyHidden }) =>
      html`<th scope="col" role="columnheader"${isNumber ? html` class="number"` : NOTHING}>${
        isVisuallyHidden ? html`<span class="visually-hidden">${label}</span>` : label
      }</th>`,
  )
  const body = rows.map((cells, at) => row({ columns, cells, isSelected: at === selectedRow }))
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table role="table" class="stacked">
<caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup"${bodyId ? html` id="${bodyId}"` : NOTHING}>
${body}</tbody>
</table></div>`
}

interface RowOptions {
  readonly columns: readonly Column[]
  readonly cells: readonly (Html | string)[]
  readonly isSelected: boolean
}

function row({ columns, cells, isSelected }: RowOptions): Html {
  return html`<tr role="row"${isSelected ? html` class="selected"` : NOTHING}>${cells.map((cell, at) => {
    const column = columns[at]
    const kind = column?.isNumber ? html` class="number"` : NOTHING
    if (at === 0) return html`<th scope="row" role="rowheader"${kind}>${cell}</th>`
    return html`<td role="cell" data-label="${column?.isVisuallyHidden ? '' : (column?.label ?? '')}"${kind}>${cell}</td>`
  })}</tr>
`
}

/** Returns a dash for an absent value. Screen readers get a text instead. */
export function noValue({ texts }: Localization): Html {
  return html`<span class="no-value" aria-hidden="true">–</span><span class="visually-hidden">${texts.common.noValue}</span>`
}
