// Renders the request log of a key, with a choice of time and a filter for errors.

import type { RequestLine } from '@store-export/control'
import { statusBadge } from '../ui/badges.ts'
import { selection } from '../ui/choices.ts'
import { card, emptyState } from '../ui/components.ts'
import { count, exactTime, quantity, relativeTime } from '../ui/dates.ts'
import { field, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { rangeParameter } from '../usage/usage-ranges.ts'
import type { KeyRow, KeyUsagePage, RequestLogPart } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the log. The lines have their own element ID, because they refresh without the form above them. */
export function requestLogCard(frame: Frame, { key, log }: Pick<KeyUsagePage, 'key' | 'log'>): Html {
  const retention = quantity(log.hours, 'hour', frame)
  const note = `Each line combines the requests of one minute with the same endpoint and result. Lines are deleted after ${retention}. The log contains no customer data.`
  return card(
    { id: 'lines', title: 'Request log', note, isFlush: true },
    html`${bar(frame, key, log)}<div id="log-lines">${lines(frame, key, log)}</div>`,
  )
}

function bar(frame: Frame, key: KeyRow, log: RequestLogPart): Html {
  const input = field({
    name: 'until',
    label: 'Until',
    type: 'datetime-local',
    value: log.until,
    problem: log.problem,
    autocomplete: 'off',
    isRequired: false,
  })
  const all = { value: '', label: 'All endpoints' }
  const endpoints = [all, ...log.endpoints.map((endpoint) => ({ value: endpoint, label: endpoint }))]
  const endpoint = selection({ name: 'endpoint', label: 'Endpoint', options: endpoints, value: log.endpoint ?? '' })
  const shown = [
    { value: '', label: 'All requests' },
    { value: 'errors', label: 'Errors only' },
  ]
  const show = selection({ name: 'show', label: 'Show', options: shown, value: log.errorsOnly ? 'errors' : '' })
  const form = html`<search><form class="form log-form" method="get" action="${pathsOf(frame).keyUsage(key.id)}">${chosenRange(log)}${input}${endpoint}${show}<button type="submit" class="button plain">Show</button></form></search>`
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
  const list = table({
    caption: 'Request log, newest first',
    columns: [
      { label: 'Last request' },
      { label: 'Endpoint' },
      { label: 'Status' },
      { label: 'Requests', isNumber: true },
      { label: 'Rows', isNumber: true },
      { label: 'Slowest', isNumber: true },
    ],
    rows: log.lines.map((line) => [
      exactTime(line.lastAt, frame, true),
      html`<div class="lines"><code>${line.endpoint}</code>${whyNote(line)}</div>`,
      html`<span class="status">${statusBadge(line.status)}${line.code === null ? NOTHING : html`<code>${line.code}</code>`}</span>`,
      count(line.requests, frame),
      line.rows === 0 ? html`<span class="quiet">0</span>` : count(line.rows, frame),
      `${count(line.durationMs, frame)} ms`,
    ]),
  })
  return html`${list}${pager(log)}`
}

/** Returns why the API rejected the requests of a line, and the ID to ask the operator about. */
function whyNote({ reason, status, lastRequestId }: RequestLine): Html {
  const why = reason === null ? NOTHING : html`<span class="note why">${reason}</span>`
  return status < 400
    ? why
    : html`${why}<span class="note request-id">Last request ID: <code>${lastRequestId}</code></span>`
}

function pager({ olderHref, isNewest, refreshHref }: RequestLogPart): Html {
  if (olderHref === null && isNewest) return NOTHING
  return html`<nav class="data-foot" aria-label="Pages of the log"><p class="actions">${
    isNewest ? NOTHING : linkButton('Newest requests', refreshHref)
  }${olderHref === null ? NOTHING : linkButton('Older requests', olderHref)}</p></nav>`
}

/** Returns the message for a log without lines. For a revoked key, it has no link to the recipes. */
function noLines(frame: Frame, key: KeyRow, { errorsOnly, endpoint, isNewest, hours }: RequestLogPart): Html {
  if (errorsOnly || endpoint !== null || !isNewest) {
    const all = linkButton('Show the newest requests', pathsOf(frame).keyUsage(key.id))
    return emptyState(errorsOnly ? 'No errors' : 'No requests', 'The log has no matching requests.', all)
  }
  const heading = `No requests in ${quantity(hours, 'hour', frame)}`
  if (key.revokedAt !== null) {
    const text = html`This key was revoked ${relativeTime(key.revokedAt, frame)}. The API rejects requests with it.`
    return emptyState(heading, text)
  }
  const next = linkButton('See recipes', pathsOf(frame).recipes)
  return emptyState(heading, 'Put the key into a tool and run it. Its requests appear here.', next)
}
