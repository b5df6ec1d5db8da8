// Renders Settings > General: the store that the API returns, and the fields that its schema version lacks.

import { storeBadge } from '../ui/badges.ts'
import { codeBlock } from '../ui/code-block.ts'
import { badge, callout, card, facts, pageHead } from '../ui/components.ts'
import { count } from '../ui/dates.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { table } from '../ui/table.ts'
import type { Frame, GeneralPage } from './models.ts'

type Snapshot = NonNullable<GeneralPage['snapshot']>

/** Returns the page Settings > General. */
export function generalView(frame: Frame, page: GeneralPage): Html {
  const head = pageHead({ title: 'General', lead: 'Your store as your tools see it.' })
  const problem = page.problem ? callout(page.problem, 'waiting') : NOTHING
  const parts = page.snapshot ? snapshotParts(frame, page.snapshot) : NOTHING
  return layout(frame, html`${head}${problem}${storeCard(frame, page.snapshot)}${parts}`)
}

function storeCard({ store }: Frame, snapshot: Snapshot | null): Html {
  if (store === null) return NOTHING
  const lines = [
    { label: 'Name', text: store.name },
    { label: 'Status', text: storeBadge(store.status) },
    { label: 'Store ID', text: html`<code>${store.id}</code>` },
    { label: 'Time zone', text: store.timeZone },
    ...(snapshot?.facts ?? []),
  ]
  return card({ id: 'store', title: 'Store' }, facts(lines))
}

function snapshotParts(frame: Frame, snapshot: Snapshot): Html {
  const counts = snapshot.counts.map(
    ({ name, rows }) =>
      html`<div class="tile"><dt>${name}</dt><dd><span class="tile-value">${count(rows, frame)}</span></dd></div>`,
  )
  const block = codeBlock({
    id: 'snapshot-json',
    label: 'JSON of the store',
    text: snapshot.json.text,
    language: 'json',
  })
  return html`<section aria-labelledby="counts"><h2 class="visually-hidden" id="counts">Rows</h2><dl class="tiles">${counts}</dl></section>
${revisionCard(snapshot)}
${card(
  { id: 'snapshot', title: 'Snapshot', note: html`The response to <code>GET /api/v1/store</code>.` },
  html`${snapshot.json.isWhole ? NOTHING : callout('The response is large, so the page shows only the beginning.', 'waiting')}${block}`,
)}`
}

function revisionCard({ revision, latestRevision, nullFields }: Snapshot): Html {
  const isLatest = revision?.id === latestRevision
  const state = isLatest ? badge('Latest', 'good') : badge(`Latest is ${latestRevision}`, 'waiting')
  const version = revision
    ? html`<p class="revision"><strong>${revision.id}</strong> ${state}<span class="note">Published ${revision.date}. ${revision.summary}</span></p>`
    : html`<p class="revision"><strong>Older than the first version</strong> ${state}</p>`
  const fields =
    nullFields.length === 0
      ? html`<p class="note">Your store has every field of the API.</p>`
      : html`<div class="stack tight"><h3>Fields without data</h3>
<p class="note">Your store’s schema version does not have these fields yet. The API returns <code>null</code> for them.</p></div>${nullTable(nullFields)}`
  return card({ id: 'revision', title: 'Schema version' }, html`${version}${fields}`)
}

function nullTable(fields: Snapshot['nullFields']): Html {
  const rows = fields.map(({ resource, field, since, note }) => [
    html`<code>${resource}.${field}</code>`,
    since,
    html`<span class="prose">${note}</span>`,
  ])
  return table({
    caption: 'Fields without data',
    columns: [{ label: 'Field' }, { label: 'Since' }, { label: 'Description' }],
    rows,
  })
}
