// Creating a key, replacing one, and the page that shows the new key. A form that is sent twice creates one key, and
// both responses lead to its page. The key is in that page and nowhere else: not in an address, a session or a log.

import { createKey, KeyLimitReached, KeyNameProblem, KeyNotReplaceable, type NewKey } from '@store-export/control'
import { storeAddresses } from '../look/addresses.ts'
import { keyGoneView } from '../pages/key-gone-view.ts'
import { keyMadeView } from '../pages/key-made-view.ts'
import type { KeyRow, KeysPage, Notice } from '../pages/models.ts'
import { replaceView } from '../pages/replace-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { activeKey, actorOf, emitRevoked, ended, pageOf, revokedNotice, show } from './keys.ts'
import { createdBy, newKeyCookie, newKeyOf, unconfirmedKey } from './new-key.ts'
import { type Answer, frameOf, type PageAnswer, type Redirect, type StoreVisit } from './visit.ts'

/** POST /stores/{s}/settings/api/keys */
export async function create(visit: StoreVisit, form: FormFields): Promise<Answer> {
  const name = form.name ?? ''
  const token = tokenOf(form)
  const made = await createOnce(visit, token, { name })
  if (made instanceof Error) return refused(visit, name, made)
  // A page that the browser kept can send another name with the token of a form that was sent before.
  if (made.name !== name.trim().normalize('NFC')) return sentForAnother(visit, name, made.name)
  return toCreated(visit, made.id, token)
}

/** GET /stores/{s}/settings/api/keys/{k}/replace */
export async function replacePage(visit: StoreVisit): Promise<Answer> {
  const page = await pageOf(visit)
  const key = activeKey(visit, page)
  if (key === null) return ended(visit, page)
  // A key may have been revoked to make room for this one.
  const { notice, cookies } = revokedNotice(visit, page)
  return { ...askToReplace(visit, key, page, notice), cookies }
}

/**
 * POST /stores/{s}/settings/api/keys/{k}/replace: does what the page said. If that no longer fits, because another key was
 * created or revoked meanwhile, the page asks again.
 */
export async function replace(visit: StoreVisit, form: FormFields): Promise<Answer> {
  const page = await pageOf(visit)
  const key = activeKey(visit, page)
  const token = tokenOf(form)
  const before = await createdBy(visit, token)
  if (before !== null) return toCreated(visit, before.id, token)
  if (key === null) return ended(visit, page)
  const ends = form.ends === 'at once' ? 'at once' : 'later'
  const made = await createOnce(visit, token, { name: key.name, replaces: { keyId: key.id, ends } })
  if (made instanceof KeyLimitReached) return asked(await askToReplace(visit, key, await pageOf(visit), FULL_NOW))
  if (made instanceof Error) return asked(show(visit, await pageOf(visit), { notice: replacedBefore(key) }))
  if (ends === 'at once') emitRevoked(visit, key.id)
  return toCreated(visit, made.id, token)
}

/** GET /stores/{s}/settings/api/keys/{k}/created: the key, as long as this browser may see it; then what to do without it. */
export async function createdPage(visit: StoreVisit): Promise<Answer> {
  const page = await pageOf(visit)
  const row = activeKey(visit, page)
  if (row === null) return ended(visit, page)
  const shown = await unconfirmedKey(visit)
  const frame = frameOf(visit, { title: 'Your new key', section: 'api' })
  if (shown?.id !== row.id) return { html: keyGoneView(frame, { key: row }) }
  const key = shown.reveal()
  const curl = `curl -H 'x-api-key: ${key}' '${visit.parts.apiUrl}/api/v1/store'`
  const replaces = page.active.find(({ replacedBy }) => replacedBy?.id === row.id) ?? null
  return { html: keyMadeView(frame, { id: row.id, name: row.name, key, curl, replaces }) }
}

type Refusal = KeyNameProblem | KeyLimitReached | KeyNotReplaceable
type Wanted = Pick<Parameters<typeof createKey>[0], 'name' | 'replaces'>

/** Creates the key of this token, or finds it if the same form was processed before. */
async function createOnce(
  visit: StoreVisit,
  token: string,
  wanted: Wanted,
): Promise<Pick<NewKey, 'id' | 'name'> | Refusal> {
  const before = await createdBy(visit, token)
  if (before !== null) return before
  const { parts, store, session, requestId } = visit
  const { random } = newKeyOf(visit, token)
  const { database } = parts
  const who = { createdBy: session.email, actor: actorOf(visit) }
  try {
    const made = await createKey({ database, storeId: store.id, ...who, random, ...wanted })
    parts.emit({ event: 'key.created', requestId, storeId: store.id, keyId: made.id })
    return made
  } catch (error) {
    const isRefusal = [KeyNameProblem, KeyLimitReached, KeyNotReplaceable].some((known) => error instanceof known)
    if (!isRefusal) throw error
    // A second request with the same form may have created it in the meantime.
    return (await createdBy(visit, token)) ?? (error as Refusal)
  }
}

function tokenOf(form: FormFields): string {
  return form.form_token ?? ''
}

function toCreated(visit: StoreVisit, keyId: string, token: string): Redirect {
  return { to: storeAddresses(visit.store.id).created(keyId), cookies: [newKeyCookie(visit, token)] }
}

async function refused(visit: StoreVisit, name: string, refusal: Refusal): Promise<PageAnswer> {
  const page = await pageOf(visit)
  if (refusal instanceof KeyNameProblem)
    return { ...show(visit, page, { create: { name, problem: nameProblem(name) } }), status: 400 }
  const text = `No key was created for “${name.trim()}”: all ${page.keysMax} keys are taken.`
  return { ...show(visit, page, { create: { name, problem: null }, notice: { kind: 'problem', text } }), status: 409 }
}

async function sentForAnother(visit: StoreVisit, name: string, before: string): Promise<PageAnswer> {
  const text = `No key was created: this form created the key “${before}” before. Send it again to create “${name.trim()}”.`
  const notice = { kind: 'problem', text } as const
  return asked(show(visit, await pageOf(visit), { create: { name, problem: null }, notice }))
}

const FULL_NOW: Notice = {
  kind: 'problem',
  text: 'Nothing was changed: all keys are taken now, so there is no room for a new key beside the old one.',
}

function replacedBefore({ name }: KeyRow): Notice {
  return { kind: 'problem', text: `“${name}” was replaced before, and no other key was created.` }
}

function asked(answer: PageAnswer): PageAnswer {
  return { ...answer, status: 409 }
}

function askToReplace(
  visit: StoreVisit,
  key: KeyRow,
  page: Omit<KeysPage, 'create'>,
  notice: Notice | null,
): PageAnswer {
  if (key.replacedBy !== null) return show(visit, page, { notice: replacedBefore(key) })
  const others = page.active.length < page.keysMax ? null : page.active.filter(({ id }) => id !== key.id)
  return { html: replaceView(frameOf(visit, { title: 'Replace a key', section: 'api', notice }), { key, others }) }
}

function nameProblem(name: string): string {
  if (name.trim() === '') return 'Give the key the name of the tool that will use it.'
  return 'A name has at most 80 characters, one of them visible, without control characters.'
}
