// Renders the request log of a key, with a choice of the time, the endpoint, and errors.

import type { RequestLine } from '@store-export/control'
import type { Duration } from '../texts/format.ts'
import { statusBadge } from '../ui/badges.ts'
import { selection } from '../ui/choices.ts'
import { card, emptyState } from '../ui/components.ts'
import { count, durationOfHours, exactTime, measure, relativeTime } from '../ui/dates.ts'
import { field, linkButton } from '../ui/forms.ts'
import { type Html, html, inEnglish, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { rangeParameter } from '../usage/usage-ranges.ts'
import type { KeyRow, RequestLogPart } from './key-models.ts'
import type { Frame } from './models.ts'
import { unusedAdvice } from './unused-advice.ts'

/** Returns the log. The lines have their own element ID, because they refresh without the form above them. */
export function requestLogCard(frame: Frame, key: KeyRow, log: RequestLogPart): Html {
  const { log: texts } = frame.texts.keyUsage
  return card(
    { id: 'lines', title: texts.title, note: texts.note(retentionOf(log)), isFlush: true },
    html`${isEmpty(log) ? NOTHING : bar(frame, key, log)}<div id="log-lines">${lines(frame, key, log)}</div>`,
  )
}

/** Whether the log has no lines at all, so that there is nothing to choose. */
function isEmpty({ lines, isNewest, errorsOnly, endpoint, problem }: RequestLogPart): boolean {
  return lines.length === 0 && isNewest && !errorsOnly && endpoint === null && problem === null
}

function bar(frame: Frame, key: KeyRow, log: RequestLogPart): Html {
  const { log: texts } = frame.texts.keyUsage
  const input = field({
    name: 'until',
    label: texts.until,
    type: 'datetime-local',
    value: log.until,
    problem: log.problem,
    autocomplete: 'off',
    isRequired: false,
  })
  const all = { value: '', label: texts.allEndpoints }
  const endpoints = [all, ...log.endpoints.map((endpoint) => ({ value: endpoint, label: endpoint }))]
  const endpoint = selection({ name: 'endpoint', label: texts.endpoint, options: endpoints, value: log.endpoint ?? '' })
  const shown = [
    { value: '', label: texts.allRequests },
    { value: 'errors', label: texts.errorsOnly },
  ]
  const show = selection({ name: 'show', label: texts.show, options: shown, value: log.errorsOnly ? 'errors' : '' })
  const form = html`<search><form class="form log-form" method="get" action="${pathsOf(frame).keyUsage(key.id)}">${chosenRange(log)}${input}${endpoint}${show}<button type="submit" class="button plain">${texts.apply}</button></form></search>`
  const csv =
    log.lines.length === 0
      ? NOTHING
      : html`<a class="button plain" href="${log.csvHref}" download>${ICONS.download}CSV</a>`
  return html`<div class="data-bar log-bar">${form}${csv}</div>`
}

function chosenRange({ range }: RequestLogPart): Html {
  const chosen = rangeParameter(range).range
  return chosen === undefined ? NOTHING : html`<input type="hidden" name="range" value="${chosen}">`
}

function lines(frame: Frame, key: KeyRow, log: RequestLogPart): Html {
  if (log.lines.length === 0) return noLines(frame, key, log)
  const { caption, columns } = frame.texts.keyUsage.log
  const list = table({
    caption,
    columns: [
      { label: columns.lastRequest },
      { label: columns.endpoint },
      { label: columns.status },
      { label: columns.requests, isNumber: true },
      { label: columns.rows, isNumber: true },
      { label: columns.slowest, isNumber: true },
    ],
    rows: log.lines.map((line) => [
      exactTime(line.lastAt, frame, true),
      html`<div class="lines"><code>${line.endpoint}</code>${whyNote(frame, line)}</div>`,
      html`<span class="status">${statusBadge(line.status)}${line.code === null ? NOTHING : html`<code>${line.code}</code>`}</span>`,
      count(line.requests, frame),
      line.rows === 0 ? html`<span class="quiet">0</span>` : count(line.rows, frame),
      measure(line.durationMs, 'millisecond', frame),
    ]),
  })
  return html`${list}${pager(frame, log)}`
}

/**
 * Returns why the API rejected the requests of a line, and the ID of the last one, for which the operator can search
 * the log. A successful line has no ID.
 */
function whyNote(frame: Frame, { reason, status, lastRequestId }: RequestLine): Html {
  const why = reason === null ? NOTHING : html`<span class="note why">${inEnglish(frame, reason)}</span>`
  return status < 400
    ? why
    : html`${why}<span class="note request-id">${frame.texts.keyUsage.log.lastRequestId(lastRequestId)}</span>`
}

function pager(frame: Frame, { olderHref, isNewest, refreshHref }: RequestLogPart): Html {
  const { log: texts } = frame.texts.keyUsage
  if (olderHref === null && isNewest) return NOTHING
  return html`<nav class="data-foot" aria-label="${texts.pages}"><p class="actions">${
    isNewest ? NOTHING : linkButton(texts.newest, refreshHref)
  }${olderHref === null ? NOTHING : linkButton(texts.older, olderHref)}</p></nav>`
}

/** Returns how long the log retains lines: in days only if they are whole, because rounding would be wrong. */
function retentionOf({ hours }: Pick<RequestLogPart, 'hours'>): Duration {
  return hours % 24 === 0 ? durationOfHours(hours) : { value: hours, unit: 'hour' }
}

/**
 * Returns the message for a log without lines. It links to the recipes only if no filter is set, and if the key is
 * active and `unusedAdvice` has no advice to revoke it.
 */
function noLines(frame: Frame, key: KeyRow, { errorsOnly, endpoint, isNewest, ...log }: RequestLogPart): Html {
  const { log: texts } = frame.texts.keyUsage
  if (errorsOnly || endpoint !== null || !isNewest) {
    const all = linkButton(texts.showNewest, pathsOf(frame).keyUsage(key.id))
    return emptyState(errorsOnly ? texts.noErrors : texts.noRequests, texts.noMatches, all)
  }
  const heading = texts.noRequestsIn(retentionOf(log))
  if (key.revokedAt !== null) {
    return emptyState(heading, texts.revoked(relativeTime(key.revokedAt, frame)))
  }
  const advice = unusedAdvice(frame, key)
  if (advice !== null) return emptyState(heading, advice)
  const next = linkButton(texts.seeRecipes, pathsOf(frame).recipes)
  return emptyState(heading, texts.unused, next)
}
