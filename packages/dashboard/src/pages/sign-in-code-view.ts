// Renders the page that requests a code after the password or a one-time link.

import { button, form } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame } from './models.ts'
import type { SignInCodePage } from './two-factor-models.ts'
import { codeField } from './two-factor-view.ts'

/** Returns the page. It has no navigation, because the sign-in is not complete. */
export function signInCodeView(frame: Frame, { next, problem }: SignInCodePage): Html {
  const { twoFactor, signIn: signInTexts } = frame.texts
  const { signIn: texts } = twoFactor
  const fields = html`${codeField({ label: twoFactor.code, problem, hint: texts.codeHint })}
<input type="hidden" name="next" value="${next}">
${button(signInTexts.button)}`
  return layout(
    { ...frame, viewer: null },
    html`<section class="card lone-card"><div class="card-body"><h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${form({ action: '/sign-in/code', frame }, fields)}
<p class="note">${texts.noCode} <a href="/sign-in">${texts.startAgain}</a></p></div></section>`,
  )
}
