// Renders the warnings about keys at the top of Settings > API.

import { count, exactTime, quantity, relativeTime } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { KeyWarning } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns an element with the warnings. It is empty without warnings, so that the page can refresh it. */
export function warningsPart(frame: Frame, warnings: readonly KeyWarning[]): Html {
  const items = warnings.map((warning) => item(frame, warning))
  return html`<div id="warnings">${warnings.length === 0 ? NOTHING : html`<section class="warnings" aria-labelledby="warnings-title"><h2 class="visually-hidden" id="warnings-title">Needs attention</h2><ul role="list">${items}</ul></section>`}</div>`
}

function item(frame: Frame, warning: KeyWarning): Html {
  const { id, name } = warning.key
  const log = linkButton('Request log', pathsOf(frame).keyUsage(id), { about: `of ${name}` })
  return html`<li class="warning">${ICONS.problem}<p><strong>${name}</strong> ${sentence(frame, warning)}</p>${log}</li>`
}

function sentence(frame: Frame, warning: KeyWarning): Html {
  switch (warning.kind) {
    case 'failing': {
      const requests = quantity(warning.requests, 'request', frame)
      return html`gets only errors: ${requests} since ${exactTime(warning.since, frame)}, and none succeeded.`
    }
    case 'stopped': {
      const { endpoint, lastAt, pages, rows } = warning.walk
      const read = `${quantity(pages, 'page', frame)} and ${quantity(rows, 'row', frame)}`
      return html`stopped in the middle of <code>${endpoint}</code> at ${exactTime(lastAt, frame)}, after ${read}.`
    }
    case 'silent': {
      const { lastUsedAt } = warning.key
      const usual =
        warning.pauseHours <= 1 ? 'at least every hour' : `at least every ${count(warning.pauseHours, frame)} hours`
      const last = lastUsedAt === null ? NOTHING : html` Its last request was ${relativeTime(lastUsedAt, frame)}.`
      return html`stopped sending requests.${last} Before that, it sent requests ${usual}.`
    }
  }
}
