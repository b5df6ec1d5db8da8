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
  const { activity: texts } = frame.texts
  const { change, by, time } = texts.columns
  const head = pageHead(frame, { title: texts.title, lead: texts.lead })
  const list = table({
    caption: texts.caption,
    columns: [{ label: change }, { label: by }, { label: time }],
    rows: events.map((event) => [changeText(frame, event), actorText(frame, event), exactTime(event.at, frame, true)]),
    isStacked: true,
  })
  const content = events.length === 0 ? emptyState(texts.empty.heading, texts.empty.text) : list
  return layout(
    frame,
    html`${head}${card({ id: 'events', title: texts.changes, isFlush: events.length > 0 }, content)}${pager(frame, page)}`,
  )
}

function pager(frame: Frame, { olderHref, isNewest }: ActivityPage): Html {
  const { activity: texts } = frame.texts
  const newest = isNewest ? NOTHING : linkButton(texts.newest, pathsOf(frame).activity)
  const older = olderHref === null ? NOTHING : linkButton(texts.older, olderHref)
  if (isNewest && olderHref === null) return NOTHING
  return html`<nav aria-label="${texts.pages}"><p class="actions">${newest}${older}</p></nav>`
}

function changeText(frame: Frame, event: StoreEvent): Html {
  const { action, key, merchantEmail, isOwnChange, reason, changed } = event
  const { activity: texts } = frame.texts
  const name =
    key === null
      ? texts.aKey
      : texts.theKey(html`<a class="key-name" href="${pathsOf(frame).keyUsage(key.id)}">${key.name}</a>`)
  const person = merchantEmail === null ? texts.removedAccount : html`<strong>${merchantEmail}</strong>`
  const invited = merchantEmail === null ? texts.aPerson : person
  switch (action) {
    case 'key.created':
      return key?.isReplacement === true ? texts.keyCreatedAsReplacement(name) : texts.keyCreated(name)
    case 'key.renamed':
      return texts.keyRenamed(name)
    case 'key.revoked':
      if (reason === 'leaked') return texts.keyLeaked(name, placeText(event))
      return reason === 'expired' ? texts.keyExpired(name) : texts.keyRevoked(name)
    case 'membership.added':
      return isOwnChange ? texts.joined : texts.membershipAdded(person)
    case 'membership.removed':
      return isOwnChange ? texts.left : texts.membershipRemoved(person)
    case 'invitation.created':
      return texts.invited(invited)
    case 'invitation.withdrawn':
      return texts.invitationWithdrawn(invited)
    case 'store.added':
      return texts.storeAdded
    case 'store.changed':
      return texts.storeChanged([...new Set(changed.map((column) => texts.storeParts[partOf(column)]))].join(', '))
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
function partOf(column: string): 'name' | 'state' | 'database' {
  return column === 'name' || column === 'state' ? column : 'database'
}

function actorText(frame: Frame, { actor, actorEmail, reason }: StoreEvent): Html {
  const { actors, you } = frame.texts.activity
  if (actorEmail !== null) return actorEmail === frame.viewer?.email ? you(actorEmail) : html`${actorEmail}`
  if (actor.startsWith('merchant ')) return actors.removedAccount
  if (reason === 'leaked') return actors.leakReport
  return reason === 'expired' ? actors.endDate : actors.platform
}
