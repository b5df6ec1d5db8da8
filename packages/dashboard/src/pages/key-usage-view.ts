// What one key did lately: its last requests and its walks, so that "the sync stopped at three" has somewhere to look.

import { addressesOf } from '../look/addresses.ts'
import { card, emptyState, pageHead } from '../look/components.ts'
import { count, exactInstant, instant } from '../look/dates.ts'
import { linkButton } from '../look/forms.ts'
import { type Html, html, NOTHING } from '../look/html.ts'
import { maskedKey } from '../look/key-facts.ts'
import { layout } from '../look/layout.ts'
import { answerBadge, keyBadge, walkBadge } from '../look/states.ts'
import { table } from '../look/table.ts'
import type { Frame, KeyRow, KeyUsagePage } from './models.ts'

/** The whole page; its requests fetch themselves again. */
export function keyUsageView(frame: Frame, page: KeyUsagePage): Html {
  const { key } = page
  const addresses = addressesOf(frame)
  const used = key.lastUsedAt === null ? 'Never used' : html`Last used ${instant(key.lastUsedAt, frame)}`
  const head = pageHead({
    title: key.name,
    lead: html`<span class="lead-facts">${maskedKey(key)}${keyBadge(key)}<span>${used}</span></span>`,
    trail: [{ label: 'Usage', href: addresses.usage }],
    ...(key.revokedAt === null ? { actions: keyActions(frame, key) } : {}),
  })
  return layout(
    frame,
    html`${head}<div id="lately" class="stack" hx-get="${addresses.keyUsage(key.id)}" hx-trigger="every 10s" hx-select="#lately" hx-swap="outerMorph">
${walksCard(frame, page)}${linesCard(frame, page)}</div>`,
  )
}

function keyActions(frame: Frame, key: KeyRow): Html {
  const addresses = addressesOf(frame)
  const replace = key.replacedBy === null ? linkButton('Replace', addresses.replace(key.id)) : NOTHING
  return html`${linkButton('By day', addresses.usageOfKey(key.id), { about: 'of this key' })}${replace}${linkButton('Revoke', addresses.revoke(key.id), { kind: 'danger' })}`
}

function walksCard(frame: Frame, { key, walks }: KeyUsagePage): Html {
  const list = table({
    caption: 'Walks',
    columns: [
      { label: 'List' },
      { label: 'State' },
      { label: 'Begun' },
      { label: 'Last page' },
      { label: 'Pages', isNumber: true },
      { label: 'Rows', isNumber: true },
    ],
    rows: walks.map((walk) => [
      html`<div class="lines"><code>${walk.endpoint}</code>${walk.filters === '' ? NOTHING : html`<code class="note">${walk.filters}</code>`}</div>`,
      walkBadge(walk.standing),
      exactInstant(walk.begunAt, frame),
      exactInstant(walk.lastAt, frame),
      count(walk.pages, frame),
      count(walk.rows, frame),
    ]),
    isStacked: true,
  })
  const hope = 'When the tool reads a list page by page, you see here how far it came.'
  const none = emptyState('No walk', key.revokedAt === null ? hope : 'This key read no list page by page lately.')
  const note = 'Lists that the tool reads page by page. One that stopped did not reach the end of its list.'
  return card({ id: 'walks', title: 'Walks', note, isFlush: walks.length > 0 }, walks.length > 0 ? list : none)
}

function linesCard(frame: Frame, { key, lines, linesDays }: KeyUsagePage): Html {
  const list = table({
    caption: 'Last requests, newest first',
    columns: [
      { label: 'Time' },
      { label: 'Endpoint' },
      { label: 'Status' },
      { label: 'Rows', isNumber: true },
      { label: 'Duration', isNumber: true },
    ],
    rows: lines.map((line) => [
      exactInstant(line.at, frame, true),
      html`<code>${line.endpoint}</code>`,
      html`<span class="status">${answerBadge(line.status)}${line.code === null ? NOTHING : html`<code>${line.code}</code>`}</span>`,
      line.rows === 0 ? html`<span class="quiet">0</span>` : count(line.rows, frame),
      `${count(Math.round(line.durationMs), frame)} ms`,
    ]),
  })
  const note = `The newest 100, kept for ${linesDays} days. No customer’s data is in them.`
  const content = lines.length > 0 ? list : noRequests(frame, key)
  return card({ id: 'lines', title: 'Last requests', note, isFlush: lines.length > 0 }, content)
}

/** Only an active key can be put into a tool. */
function noRequests(frame: Frame, key: KeyRow): Html {
  if (key.revokedAt !== null) {
    const text = html`This key was revoked ${instant(key.revokedAt, frame)}. The service refuses every request with it.`
    return emptyState('No requests lately', text)
  }
  const next = linkButton('Recipes to start with', addressesOf(frame).recipes)
  return emptyState('No requests lately', 'Put the key into the tool and run it. Its requests appear here.', next)
}
