// Renders Settings > General: the store that the API returns, and the fields that its schema version lacks.

import { storeBadge } from '../ui/badges.ts'
import { codeBlock } from '../ui/code-block.ts'
import { badge, callout, card, facts, pageHead } from '../ui/components.ts'
import { count, dayText } from '../ui/dates.ts'
import { type Html, html, inEnglish, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { table } from '../ui/table.ts'
import type { Frame, GeneralPage } from './models.ts'

type Snapshot = NonNullable<GeneralPage['snapshot']>

/** Returns the page. If the service can't read the store, the page has only its name, status, ID, and time zone. */
export function generalView(frame: Frame, page: GeneralPage): Html {
  const { title, lead } = frame.texts.general
  const head = pageHead(frame, { title, lead })
  const problem = page.problem ? callout(page.problem, 'waiting') : NOTHING
  const parts = page.snapshot ? snapshotParts(frame, page.snapshot) : NOTHING
  return layout(frame, html`${head}${storeCard(frame, page.snapshot)}${parts}`, problem)
}

function storeCard(frame: Frame, snapshot: Snapshot | null): Html {
  const { store, texts } = frame
  const { facts: labels } = texts.general
  if (store === null) return NOTHING
  const lines = [
    { label: labels.name, text: store.name },
    { label: labels.status, text: storeBadge(frame, store.status) },
    { label: labels.storeId, text: html`<code>${store.id}</code>` },
    { label: labels.timeZone, text: store.timeZone },
    ...(snapshot?.facts ?? []),
  ]
  return card({ id: 'store', title: texts.general.store }, facts(lines))
}

function snapshotParts(frame: Frame, snapshot: Snapshot): Html {
  const { general: texts } = frame.texts
  const { title, note, label, isLarge } = texts.snapshot
  const counts = snapshot.counts.map(
    ({ name, rows }) =>
      html`<div class="tile"><dt>${name}</dt><dd><span class="tile-value">${count(rows, frame)}</span></dd></div>`,
  )
  const block = codeBlock(frame, { id: 'snapshot-json', label, text: snapshot.json.text, language: 'json' })
  return html`<section aria-labelledby="counts"><h2 class="visually-hidden" id="counts">${texts.rows}</h2><dl class="tiles">${counts}</dl></section>
${revisionCard(frame, snapshot)}
${card(
  { id: 'snapshot', title, note },
  html`${snapshot.json.isWhole ? NOTHING : callout(isLarge, 'waiting')}${block}`,
)}`
}

function revisionCard(frame: Frame, { revision, latestRevision, nullFields }: Snapshot): Html {
  const { schemaVersion: texts } = frame.texts.general
  const isLatest = revision?.id === latestRevision
  const state = isLatest ? badge(texts.latest, 'good') : badge(texts.latestIs(latestRevision), 'waiting')
  const version = revision
    ? html`<p class="revision"><strong>${revision.id}</strong> ${state}<span class="note">${texts.published(dayText(revision.date, frame, 'full'))} ${inEnglish(frame, revision.summary)}</span></p>`
    : html`<p class="revision"><strong>${texts.olderThanFirst}</strong> ${state}</p>`
  const fields =
    nullFields.length === 0
      ? html`<p class="note">${texts.complete}</p>`
      : html`<div class="stack tight"><h3>${texts.nullFields}</h3>
<p class="note">${texts.nullFieldsNote}</p></div>${nullTable(frame, nullFields)}`
  return card({ id: 'revision', title: texts.title }, html`${version}${fields}`)
}

function nullTable(frame: Frame, fields: Snapshot['nullFields']): Html {
  const { nullFields: caption, columns } = frame.texts.general.schemaVersion
  const rows = fields.map(({ resource, field, since, note }) => [
    html`<code>${resource}.${field}</code>`,
    since,
    html`<span class="prose">${inEnglish(frame, note)}</span>`,
  ])
  return table({
    caption,
    columns: [{ label: columns.field }, { label: columns.since }, { label: columns.description }],
    rows,
  })
}
