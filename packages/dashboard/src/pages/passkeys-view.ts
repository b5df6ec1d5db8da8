// Renders passkeys: the card on the account page, the pages that add and change a passkey, and the button on the
// sign-in page. Passkeys need JavaScript, so the script shows the forms that use them.

import { assets } from '../ui/assets.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { relativeTime } from '../ui/dates.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { table } from '../ui/table.ts'
import type { AccountPage, Frame } from './models.ts'
import type { AddPasskeyPage, PasskeyPage, PasskeysCard } from './passkey-models.ts'

/** Returns the card of the account page. Without a password, an account can't add passkeys, and the card says so. */
export function passkeysCard(frame: Frame, { passkeys, hasPassword }: AccountPage): Html {
  const { passkeys: texts } = frame.texts
  const title = { id: 'passkeys', title: texts.title }
  if (!hasPassword) return card({ ...title, note: texts.note }, html`<p class="note">${texts.needsPassword}</p>`)
  const { list, adding } = passkeys
  const add = linkButton(texts.add.link, '/account/passkeys/new')
  const actions = adding.kind === 'possible' ? { actions: add } : {}
  const reason = whyNot(frame, passkeys)
  const note = reason === null ? texts.note : html`${texts.note} ${reason}`
  if (list.length === 0) return card({ ...title, note, ...actions }, html`<p class="note">${texts.none}</p>`)
  return card({ ...title, note, ...actions, isFlush: true }, passkeysTable(frame, list))
}

function whyNot({ texts: { account, passkeys: texts } }: Frame, { list, adding }: PasskeysCard): Html | string | null {
  switch (adding.kind) {
    case 'possible':
      return null
    case 'full':
      return texts.limit(list.length)
    case 'elsewhere':
      return texts.elsewhere(adding.url)
    case 'sign in first':
      return account.signInFirst.addPasskey(adding.factor)
    case 'no host name':
      return texts.noHostName
  }
}

function passkeysTable(frame: Frame, list: PasskeysCard['list']): Html {
  const { passkeys: texts } = frame.texts
  const { name, added, change } = texts.columns
  return table({
    caption: texts.title,
    columns: [{ label: name }, { label: added }, { label: change, isVisuallyHidden: true }],
    rows: list.map((passkey) => [
      passkey.name,
      relativeTime(passkey.addedAt, frame),
      linkButton(texts.change, `/account/passkeys/${passkey.id}`, { about: passkey.name }),
    ]),
  })
}

/** Returns the page that adds a passkey. In a browser with passkeys, the script hides the message that it has none. */
export function addPasskeyView(frame: Frame, { name }: AddPasskeyPage): Html {
  const { passkeys, common } = frame.texts
  const { add: texts } = passkeys
  const head = pageHead(frame, { title: texts.title, lead: texts.lead, trail: accountTrail(frame) })
  const fields = html`${field({ name: 'name', label: texts.name, value: name, hint: texts.hint, autocomplete: 'off', lengthMax: 80 })}
${field({ name: 'confirm', label: texts.password, type: 'password', autocomplete: 'current-password' })}
<div class="actions">${button(texts.button)}${linkButton(common.cancel, '/account')}</div>`
  const creating = passkeyForm(frame, { kind: 'create', action: '/account/passkeys', problems: texts.problems }, fields)
  const unsupported = html`<div data-passkey-unsupported>${callout(texts.unsupported, 'waiting')}</div>`
  return layout(frame, html`${head}${card({ id: 'add', title: texts.card }, html`${unsupported}${creating}`)}`)
}

/** Returns the page that renames or removes a passkey. */
export function passkeyView(frame: Frame, { passkey, signInFirst, typedName, problem }: PasskeyPage): Html {
  const { account, passkeys, common } = frame.texts
  const { edit: texts, add } = passkeys
  const path = `/account/passkeys/${passkey.id}`
  const problemOf = (name: 'name' | 'confirm') => (problem?.field === name ? problem.text : null)
  const head = pageHead(frame, { title: texts.title, lead: texts.lead(passkey.name), trail: accountTrail(frame) })
  const name = field({
    name: 'name',
    label: add.name,
    value: typedName,
    problem: problemOf('name'),
    autocomplete: 'off',
    lengthMax: 80,
  })
  const rename = form({ action: `${path}/name`, frame }, html`${name}${button(texts.save, 'plain')}`)
  const password = field({
    name: 'confirm',
    label: texts.password,
    type: 'password',
    problem: problemOf('confirm'),
    autocomplete: 'current-password',
  })
  const buttons = html`<div class="actions">${button(texts.removeButton, 'danger-main')}${linkButton(common.cancel, '/account')}</div>`
  const remove =
    signInFirst === null
      ? form({ action: `${path}/remove`, frame }, html`${password}${buttons}`)
      : callout(account.signInFirst.removePasskey(signInFirst), 'waiting')
  return layout(
    frame,
    html`${head}${card({ id: 'rename', title: texts.rename }, rename)}${card({ id: 'remove', title: texts.remove, note: texts.removeNote }, remove)}`,
  )
}

/** Returns the form of the sign-in page that uses a passkey. `next` is the path to open after the sign-in. */
export function passkeySignIn(frame: Frame, next: string): Html {
  const { signIn: texts } = frame.texts.passkeys
  const fields = html`<input type="hidden" name="next" value="${next}">${button(texts.button, 'plain')}`
  return passkeyForm(frame, { kind: 'get', action: '/sign-in/passkey', problems: texts }, fields)
}

interface PasskeyForm {
  /** Whether the browser creates a passkey, or gets an existing one. */
  readonly kind: 'create' | 'get'
  readonly action: string
  /** Error messages that the script shows. `known`: the passkey manager has a passkey of this account already. */
  readonly problems: { readonly canceled: string; readonly known?: string; readonly failed: string }
}

/** Returns a form that the script `passkeys.js` shows and sends. */
function passkeyForm(frame: Frame, { kind, action, problems }: PasskeyForm, fields: Html): Html {
  const { canceled, failed, known = failed } = problems
  const attributes = html` data-passkey="${kind}" data-canceled="${canceled}" data-known="${known}" data-failed="${failed}"`
  const content = html`<input type="hidden" name="credential" value="" autocomplete="off">
<p class="form-problem" role="alert" hidden></p>
${fields}`
  return html`${form({ action, frame, attributes, isHidden: true }, content)}<script src="${assets().passkeys.path}" defer></script>`
}

function accountTrail({ texts }: Frame): { readonly label: string; readonly href: string }[] {
  return [{ label: texts.account.title, href: '/account' }]
}
