// Warnings about keys, at the top of Settings > API: a sync that stopped shows on the first page.

import { addressesOf } from '../look/addresses.ts'
import { count, counted, exactInstant, instant } from '../look/dates.ts'
import { linkButton } from '../look/forms.ts'
import { type Html, html, NOTHING } from '../look/html.ts'
import { ICONS } from '../look/icons.ts'
import type { Frame, KeyWarning } from './models.ts'

/** The warnings; an empty element without any, so that the page can refresh it. */
export function warningsPart(frame: Frame, warnings: readonly KeyWarning[]): Html {
  const items = warnings.map((warning) => item(frame, warning))
  return html`<div id="warnings">${warnings.length === 0 ? NOTHING : html`<section class="warnings" aria-labelledby="warnings-title"><h2 class="unseen" id="warnings-title">Needs attention</h2><ul role="list">${items}</ul></section>`}</div>`
}

function item(frame: Frame, warning: KeyWarning): Html {
  const { id, name } = warning.key
  const log = linkButton('Request log', addressesOf(frame).keyUsage(id), { about: `of ${name}` })
  return html`<li class="warning">${ICONS.problem}<p><strong>${name}</strong> ${words(frame, warning)}</p>${log}</li>`
}

function words(frame: Frame, warning: KeyWarning): Html {
  switch (warning.kind) {
    case 'failing': {
      const requests = counted(warning.requests, 'request', frame)
      return html`gets only errors: ${requests} since ${exactInstant(warning.since, frame)}, and none returned data.`
    }
    case 'stopped': {
      const { endpoint, lastAt, pages, rows } = warning.walk
      const read = `${counted(pages, 'page', frame)} and ${counted(rows, 'row', frame)}`
      return html`stopped in the middle of <code>${endpoint}</code> at ${exactInstant(lastAt, frame)}, after ${read}.`
    }
    case 'silent': {
      const { lastUsedAt } = warning.key
      const usual =
        warning.pauseHours <= 1 ? 'at least every hour' : `at least every ${count(warning.pauseHours, frame)} hours`
      const last = lastUsedAt === null ? NOTHING : html`. Its last request came ${instant(lastUsedAt, frame)}`
      return html`fell silent${last}; before, it made requests ${usual}.`
    }
  }
}
