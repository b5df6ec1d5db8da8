// Renders the card of the second factor on the account page, the page that sets it up, and the page with recovery codes.

import { codeBlock } from '../ui/code-block.ts'
import { badge, callout, card, pageHead } from '../ui/components.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { qrCode } from '../ui/qr-code.ts'
import type { AccountPage, Frame } from './models.ts'
import type { RecoveryCodesPage, TwoFactorSetUpPage } from './two-factor-models.ts'

const ACCOUNT = [{ label: 'Your account', href: '/account' }]

/** Returns the card of the account page. */
export function twoFactorCard(frame: Frame, page: AccountPage): Html {
  const { isOn, problem } = page.twoFactor
  const state = isOn ? badge('On', 'good') : badge('Off', 'neutral')
  const title = { id: 'two-factor', title: 'Two-factor sign-in', actions: state }
  if (!page.hasPassword) {
    const note = 'Codes of an app protect the sign-in with a password. Set a password first.'
    return card(
      { ...title, note },
      html`<p class="note">If you sign in at your platform, your platform decides whether it requests a code.</p>`,
    )
  }
  const note = isOn
    ? 'After your password or a sign-in link, you enter a code of your app. If you sign in at your platform, your platform decides whether it requests a code.'
    : 'After your password or a sign-in link, you enter a code of an app on your phone. A stolen password alone is not enough to sign in.'
  const password = field({
    name: 'confirm',
    label: 'Your password',
    type: 'password',
    autocomplete: 'current-password',
    problem,
  })
  if (!isOn)
    return card(
      { ...title, note },
      form({ action: '/account/two-factor/set-up', frame }, html`${password}${button('Set up')}`),
    )
  const turnOff = html`<button type="submit" class="button danger" formaction="/account/two-factor/turn-off">Turn off</button>`
  const buttons = html`<div class="actions">${button('New recovery codes', 'plain')}${turnOff}</div>`
  return card(
    { ...title, note },
    form({ action: '/account/two-factor/recovery-codes', frame }, html`${password}${buttons}`),
  )
}

/** Returns the page with the QR code, the secret, and the form for the first code. */
export function twoFactorSetUpView(frame: Frame, page: TwoFactorSetUpPage): Html {
  const head = pageHead({
    title: 'Set up two-factor sign-in',
    lead: 'Use an app that makes codes, such as a password manager or an authenticator app.',
    trail: ACCOUNT,
  })
  const scan = card(
    { id: 'scan', title: '1. Add the account to your app', note: 'Scan this picture with the app, or enter the key.' },
    html`${qrCode(page.uri, 'QR code with the key below')}${codeBlock({ id: 'secret', label: 'Key', text: grouped(page.secret), isWrapped: true })}`,
  )
  const fields = html`<input type="hidden" name="secret" value="${page.secret}">${codeField({ label: 'Code', problem: page.problem, hint: 'Six digits. They change every 30 seconds.' })}
<div class="actions">${button('Turn on')}${linkButton('Cancel', '/account')}</div>`
  const confirm = card(
    { id: 'confirm', title: '2. Enter the code that the app shows', note: 'Your other browsers are signed out.' },
    form({ action: '/account/two-factor/confirm', frame }, fields),
  )
  return layout(frame, html`${head}${scan}${confirm}`)
}

/** Returns the page with the recovery codes. */
export function recoveryCodesView(frame: Frame, { codes, isNew }: RecoveryCodesPage): Html {
  const head = pageHead({
    title: isNew ? 'Two-factor sign-in is on' : 'Your new recovery codes',
    lead: 'If you lose your phone, a recovery code replaces a code of the app. Each works once.',
    trail: ACCOUNT,
  })
  const warning = callout(
    isNew
      ? 'Print these codes or save them in a password manager. We don’t show them again.'
      : 'Print these codes or save them in a password manager. We don’t show them again. Your earlier codes no longer work.',
    'waiting',
  )
  const list = codeBlock({ id: 'codes', label: 'Recovery codes', text: codes.join('\n'), isSecret: true, isMain: true })
  const done = html`<p class="actions">${linkButton('I have saved the codes', '/account?copied', { kind: 'main' })}</p>`
  return layout(
    frame,
    html`${head}${card({ id: 'recovery', title: 'Recovery codes' }, html`${warning}${list}${done}`)}`,
  )
}

/** Returns a field for a code. */
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
