// Renders Settings > Activity: the changes of the store, its keys, and its members, with their actors and times, and a
// filter.

import { STORE_ACTIONS, type StoreActor, type StoreEvent } from '@store-export/control'
import { selection } from '../ui/choices.ts'
import { card, emptyState, pageHead } from '../ui/components.ts'
import { exactTime } from '../ui/dates.ts'
import { field, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { ICONS } from '../ui/icons.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import type { ActivityPage, Frame } from './models.ts'

/**
 * Returns the page. Without changes, it says so. It then links to the newest changes if this is a later page, or to all
 * changes if a filter is set.
 */
export function activityView(frame: Frame, page: ActivityPage): Html {
  const { activity: texts } = frame.texts
  const head = pageHead(frame, { title: texts.title, lead: texts.lead })
  const content = page.events.length === 0 ? noEvents(frame, page) : eventsTable(frame, page)
  const events = card(
    { id: 'events', title: texts.changes, isFlush: true },
    html`${filterBar(frame, page)}${content}${pager(frame, page)}`,
  )
  return layout(frame, html`${head}${events}`)
}

function eventsTable(frame: Frame, { events }: ActivityPage): Html {
  const { caption, columns } = frame.texts.activity
  const list = table({
    caption,
    columns: [{ label: columns.change }, { label: columns.by }, { label: columns.time }],
    rows: events.map((event) => [
      changeText(frame, event),
      actorText(frame, event.actor),
      exactTime(event.at, frame, true),
    ]),
  })
  return html`<div class="changes">${list}</div>`
}

/** Returns the form of the filter, which works without a script, and the link that downloads the changes as CSV. */
function filterBar(frame: Frame, { choice, actors, events, csvHref }: ActivityPage): Html {
  const { filter: texts } = frame.texts.activity
  const actions = STORE_ACTIONS.map((action) => ({ value: action, label: texts.actions[action] }))
  const people = actors.map((actor) => ({ value: actor.by, label: actorText(frame, actor) }))
  const day = (name: 'from' | 'until') =>
    field({
      ...{ name, label: texts[name], type: 'date', value: choice[name].text, problem: choice[name].problem },
      ...{ autocomplete: 'off', isRequired: false },
    })
  const fields = html`${selection({
    name: 'action',
    label: texts.action,
    options: [{ value: '', label: texts.allActions }, ...actions],
    value: choice.action ?? '',
  })}${selection({
    name: 'by',
    label: texts.by,
    options: [{ value: '', label: texts.everyone }, ...people],
    value: choice.by ?? '',
  })}${day('from')}${day('until')}<button type="submit" class="button plain">${texts.apply}</button>`
  const form = html`<search><form class="form log-form" method="get" action="${pathsOf(frame).activity}">${fields}</form></search>`
  const csv =
    events.length === 0 ? NOTHING : html`<a class="button plain" href="${csvHref}" download>${ICONS.download}CSV</a>`
  return html`<div class="data-bar log-bar">${form}${csv}</div>`
}

function noEvents(frame: Frame, { choice, newestHref }: ActivityPage): Html {
  const { empty, filter, newest } = frame.texts.activity
  if (newestHref !== null) return emptyState(empty.heading, empty.text, linkButton(newest, newestHref))
  const isFiltered = [choice.action, choice.by, choice.from.text, choice.until.text].some(Boolean)
  const all = isFiltered ? linkButton(filter.showAll, pathsOf(frame).activity) : NOTHING
  return emptyState(empty.heading, isFiltered ? filter.noMatches : empty.text, all)
}

function pager(frame: Frame, { olderHref, newestHref, events }: ActivityPage): Html {
  const { activity: texts } = frame.texts
  if (events.length === 0 || (newestHref === null && olderHref === null)) return NOTHING
  const newest = newestHref === null ? NOTHING : linkButton(texts.newest, newestHref)
  const older = olderHref === null ? NOTHING : linkButton(texts.older, olderHref)
  return html`<nav class="data-foot" aria-label="${texts.pages}"><p class="actions">${newest}${older}</p></nav>`
}

function changeText(frame: Frame, event: StoreEvent): Html {
  const { action, key, merchantEmail, isOwnChange, reason, changed } = event
  // Events from before roles existed have none: every member was an admin.
  const role = event.role ?? 'admin'
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
    case 'key.permissions_changed':
      return texts.permissionsChanged(name, changed.map((limit) => texts.limits[limit as Limit] ?? limit).join(', '))
    case 'key.revoked':
      if (reason === 'leaked') return texts.keyLeaked(name, placeText(event))
      return reason === 'expired' ? texts.keyExpired(name) : texts.keyRevoked(name)
    case 'key.turned_off':
      return texts.keyTurnedOff(name)
    case 'key.turned_on':
      return texts.keyTurnedOn(name)
    case 'membership.added':
      return isOwnChange ? texts.joined(role) : texts.membershipAdded(person, role)
    case 'membership.role_changed':
      return isOwnChange ? texts.ownRoleChanged(role) : texts.roleChanged(person, role)
    case 'membership.removed':
      return isOwnChange ? texts.left : texts.membershipRemoved(person)
    case 'invitation.created':
      return texts.invited(invited, role)
    case 'invitation.withdrawn':
      return texts.invitationWithdrawn(invited)
    case 'two_factor_rule.enabled':
      return texts.twoFactorRequired
    case 'two_factor_rule.disabled':
      return texts.twoFactorOptional
    case 'directory_token.created':
      return texts.directoryTokenCreated
    case 'directory_token.revoked':
      return reason === 'leaked' ? texts.directoryTokenLeaked(placeText(event)) : texts.directoryTokenRevoked
    case 'directory_user.role_changed':
      return texts.directoryRoleChanged(person, role)
    case 'store.added':
      return texts.storeAdded
    case 'store.changed':
      return texts.storeChanged([...new Set(changed.map((column) => texts.storeParts[partOf(column)]))].join(', '))
    // During an update, a newer node can store an action that this node doesn't know.
    default:
      return html`${action}`
  }
}

type Limit = keyof Frame['texts']['activity']['limits']

/**
 * Returns where a leaked key was found: a link, the kind of the place, or both; nothing if the report has neither. The
 * report is from outside, so only an HTTP URL becomes a link.
 */
function placeText({ foundAt: { url, source } }: StoreEvent): Html {
  const kind = source === '' ? NOTHING : html` (${source.replaceAll('_', ' ')})`
  if (!/^https?:\/\//.test(url)) return kind
  return html`: <a href="${url}" rel="noopener noreferrer">${url}</a>${kind}`
}

/** Returns the part of the store that a column describes. All columns except two describe its database. */
function partOf(column: string): 'name' | 'state' | 'database' {
  return column === 'name' || column === 'state' ? column : 'database'
}

/** Returns the email address of the actor, marked if it is the viewer's, or the name of another kind of actor. */
function actorText(frame: Frame, { by, email }: StoreActor): string {
  const { actors, you } = frame.texts.activity
  if (email === null) return actors[by]
  return email === frame.viewer?.email ? you(email) : email
}
