// Renders Settings > Activity: who changed the store and its keys, and when.

import type { StoreEvent } from '@store-export/control'
import { card, emptyState, pageHead } from '../ui/components.ts'
import { exactTime } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import type { ActivityPage, Frame } from './models.ts'

/** Returns the page Settings > Activity. */
export function activityView(frame: Frame, page: ActivityPage): Html {
  const { events } = page
  const head = pageHead({
    title: 'Activity',
    lead: 'Changes to the keys of this store, and to the people who can see it.',
  })
  const list = table({
    caption: 'Changes, newest first',
    columns: [{ label: 'Change' }, { label: 'By' }, { label: 'Time' }],
    rows: events.map((event) => [changeText(frame, event), actorText(frame, event), exactTime(event.at, frame, true)]),
    isStacked: true,
  })
  const content = events.length === 0 ? emptyState('No changes', 'There are no older changes.') : list
  return layout(
    frame,
    html`${head}${card({ id: 'events', title: 'Changes', isFlush: events.length > 0 }, content)}${pager(frame, page)}`,
  )
}

function pager(frame: Frame, { olderHref, isNewest }: ActivityPage): Html {
  const newest = isNewest ? NOTHING : linkButton('Newest changes', pathsOf(frame).activity)
  const older = olderHref === null ? NOTHING : linkButton('Older changes', olderHref)
  if (isNewest && olderHref === null) return NOTHING
  return html`<nav aria-label="Pages of changes"><p class="actions">${newest}${older}</p></nav>`
}

function changeText(frame: Frame, event: StoreEvent): Html {
  const { action, key, merchantEmail, isOwnChange, reason, changed } = event
  const name =
    key === null
      ? html`a key`
      : html`the key <a class="key-name" href="${pathsOf(frame).keyUsage(key.id)}">${key.name}</a>`
  const person = merchantEmail === null ? html`a removed account` : html`<strong>${merchantEmail}</strong>`
  const invited = merchantEmail === null ? html`a person` : person
  switch (action) {
    case 'key.created':
      return html`Created ${name}${key?.isReplacement === true ? ', which replaces an older one' : ''}`
    case 'key.renamed':
      return html`Renamed ${name}`
    case 'key.revoked':
      if (reason === 'leaked') return html`Revoked ${name}, because it was found in public${placeText(event)}`
      return reason === 'expired' ? html`End of ${name}` : html`Revoked ${name}`
    case 'membership.added':
      return isOwnChange ? html`Accepted an invitation and joined` : html`Gave ${person} access to this store`
    case 'membership.removed':
      return isOwnChange ? html`Left this store` : html`Ended the access of ${person} to this store`
    case 'invitation.created':
      return html`Invited ${invited}`
    case 'invitation.withdrawn':
      return html`Withdrew the invitation of ${invited}`
    case 'store.added':
      return html`Added this store`
    case 'store.changed':
      return html`Changed this store: ${[...new Set(changed.map(columnText))].join(', ')}`
    default:
      return html`${action}`
  }
}

/** Returns where a leaked key was found: a link, or the kind of the place; nothing if the report doesn't say it. */
function placeText({ foundAt: { url, source } }: StoreEvent): Html {
  const kind = source === '' ? NOTHING : html` (${source.replaceAll('_', ' ')})`
  if (!/^https?:\/\//.test(url)) return kind
  return html`: <a href="${url}" rel="noopener noreferrer">${url}</a>${kind}`
}

/** Returns what a column of the store is for a merchant. */
function columnText(column: string): string {
  if (column === 'name') return 'its name'
  return column === 'state' ? 'its state' : 'its database'
}

function actorText(frame: Frame, { actor, actorEmail, reason }: StoreEvent): Html {
  if (actorEmail !== null) return html`${actorEmail}${actorEmail === frame.viewer?.email ? ' (you)' : ''}`
  if (actor.startsWith('merchant ')) return html`A removed account`
  if (reason === 'leaked') return html`A leak report`
  return reason === 'expired' ? html`Its end date` : html`Your platform`
}
