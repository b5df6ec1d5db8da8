// Renders a value of a row in the way of its kind, such as an amount or a status.

import { amountText, decimalText } from '../ui/amounts.ts'
import { stateBadge } from '../ui/badges.ts'
import { exactTime } from '../ui/dates.ts'
import { type Html, html } from '../ui/html.ts'
import { noValue } from '../ui/table.ts'
import type { Frame, TableCell } from './models.ts'

/** Characters of a text that fit into half the width of a phone. */
const SHORT_CHARACTERS_MAX = 18

/**
 * Returns the value of a cell, or a placeholder for an absent or empty value. A timestamp that a `Date` can't represent
 * is shown as the API sends it.
 */
export function cellText(frame: Frame, { kind, text, currency }: TableCell): Html | string {
  if (text === null || text === '') return noValue(frame)
  if (kind === 'status') return stateBadge(frame, text)
  if (kind === 'id') return html`<code>${text}</code>`
  if (kind === 'money') return amountText(text, currency ?? null, frame)
  if (kind === 'number') return decimalText(text, frame)
  if (kind !== 'timestamp')
    return html`<span class="cell-text${text.length > SHORT_CHARACTERS_MAX ? ' long' : ''}">${text}</span>`
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : exactTime(date, frame)
}

/** Whether the cells of a column are numbers, which are aligned at their end. */
export function isNumeric(kind: TableCell['kind']): boolean {
  return kind === 'money' || kind === 'number'
}
