// Renders the page that requests a code after the password or a one-time link.

import { button, form } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame } from './models.ts'
import type { SignInCodePage } from './two-factor-models.ts'
import { codeField } from './two-factor-view.ts'

/** Returns the page. It has no navigation, because the sign-in is not complete. */
export function signInCodeView(frame: Frame, { next, problem }: SignInCodePage): Html {
  const fields = html`${codeField({ label: 'Code', problem, hint: 'The six digits that your app shows, or a recovery code.' })}
<input type="hidden" name="next" value="${next}">
${button('Sign in')}`
  return layout(
    { ...frame, viewer: null },
    html`<section class="card lone-card"><div class="card-body"><h1>Enter your code</h1>
<p class="lead">Your account has two-factor sign-in.</p>
${form({ action: '/sign-in/code', frame }, fields)}
<p class="note">No phone and no recovery code? Ask your platform’s support to turn off two-factor sign-in. <a href="/sign-in">Start again</a></p></div></section>`,
  )
}
