// Renders the card of the second factor on the account page, the page that sets it up, and the page with recovery
// codes.

import { codeBlock } from '../ui/code-block.ts'
import { badge, callout, card, pageHead } from '../ui/components.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { qrCode } from '../ui/qr-code.ts'
import type { AccountPage, Frame } from './models.ts'
import type { RecoveryCodesPage, TwoFactorSetUpPage } from './two-factor-models.ts'

/** Returns the card of the account page. Without a password, an account can't use codes, and the card says so. */
export function twoFactorCard(frame: Frame, page: AccountPage): Html {
  const { isOn, signInFirst, problem } = page.twoFactor
  const { account, twoFactor: texts } = frame.texts
  const state = isOn ? badge(texts.on, 'good') : badge(texts.off, 'neutral')
  const title = { id: 'two-factor', title: texts.title, actions: state }
  if (!page.hasPassword) {
    return card({ ...title, note: texts.needsPassword }, html`<p class="note">${texts.platform}</p>`)
  }
  const note = isOn ? `${texts.noteOn} ${texts.platform}` : texts.noteOff
  if (signInFirst !== null) {
    const { setUpTwoFactor, changeTwoFactor } = account.signInFirst
    const change = isOn ? changeTwoFactor : setUpTwoFactor
    return card({ ...title, note }, callout(change(signInFirst), 'waiting'))
  }
  const password = field({
    name: 'confirm',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    problem,
  })
  if (!isOn)
    return card(
      { ...title, note },
      form({ action: '/account/two-factor/set-up', frame }, html`${password}${button(texts.setUp.button)}`),
    )
  const turnOff = html`<button type="submit" class="button danger" formaction="/account/two-factor/turn-off">${texts.turnOff}</button>`
  const buttons = html`<div class="actions">${button(texts.newCodes, 'plain')}${turnOff}</div>`
  return card(
    { ...title, note },
    form({ action: '/account/two-factor/recovery-codes', frame }, html`${password}${buttons}`),
  )
}

/** Returns the page with the QR code, the secret, and the form for the first code. */
export function twoFactorSetUpView(frame: Frame, page: TwoFactorSetUpPage): Html {
  const { twoFactor, common } = frame.texts
  const { setUp: texts } = twoFactor
  const head = pageHead(frame, { title: texts.title, lead: texts.lead, trail: accountTrail(frame) })
  const key = codeBlock(frame, { id: 'secret', label: texts.key, text: grouped(page.secret), isWrapped: true })
  const scan = card(
    { id: 'scan', title: texts.scanTitle, note: texts.scanNote },
    html`${qrCode(page.uri, texts.picture)}${key}`,
  )
  // The form returns the secret, so that the route can show it again after a wrong code.
  const fields = html`<input type="hidden" name="secret" value="${page.secret}">${codeField({ label: twoFactor.code, problem: page.problem, hint: texts.codeHint })}
<div class="actions">${button(texts.turnOn)}${linkButton(common.cancel, '/account')}</div>`
  const confirm = card(
    { id: 'confirm', title: texts.confirmTitle, note: texts.confirmNote },
    form({ action: '/account/two-factor/confirm', frame }, fields),
  )
  return layout(frame, html`${head}${scan}${confirm}`)
}

/** Returns the page with the recovery codes. */
export function recoveryCodesView(frame: Frame, { codes, isNew }: RecoveryCodesPage): Html {
  const { recovery: texts } = frame.texts.twoFactor
  const head = pageHead(frame, {
    title: isNew ? texts.titleNew : texts.titleRenewed,
    lead: texts.lead,
    trail: accountTrail(frame),
  })
  const warning = callout(isNew ? texts.warning : `${texts.warning} ${texts.replaced}`, 'waiting')
  const list = codeBlock(frame, {
    id: 'codes',
    label: texts.codes,
    text: codes.join('\n'),
    isSecret: true,
    isMain: true,
  })
  const done = html`<p class="actions">${linkButton(texts.saved, '/account?copied', { kind: 'main' })}</p>`
  return layout(frame, html`${head}${card({ id: 'recovery', title: texts.codes }, html`${warning}${list}${done}`)}`)
}

function accountTrail({ texts }: Frame): { readonly label: string; readonly href: string }[] {
  return [{ label: texts.account.title, href: '/account' }]
}

/** Returns a field for a code of the app or a recovery code, which people can type with spaces. */
export function codeField(options: {
  readonly label: string
  readonly problem: string | null
  readonly hint: string
}): Html {
  return field({ ...options, name: 'code', autocomplete: 'one-time-code', lengthMax: 40, isCode: true })
}

/** Returns a secret in groups of four characters, which are easier to type. */
function grouped(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, '$& ')
}
