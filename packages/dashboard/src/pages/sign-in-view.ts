// Renders the sign-in page: the form, and the buttons for passkeys and single sign-on if they can be used.

import { button, field, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame, SignInPage } from './models.ts'
import { passkeySignIn } from './passkeys-view.ts'

/** Returns the page. The error message is above the form, because it must not say which field is wrong. */
export function signInView(frame: Frame, page: SignInPage): Html {
  const { email, problem, next, singleSignOnLabel, allowsPasskeys } = page
  const { signIn: texts } = frame.texts
  const fields = html`${field({ name: 'email', label: texts.email, type: 'email', value: email, autocomplete: 'username', lengthMax: 254 })}
${field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' })}
<input type="hidden" name="next" value="${next}">
${button(texts.button)}`
  const elsewhere = singleSignOnLabel === null ? NOTHING : singleSignOnForm(frame, singleSignOnLabel, next)
  const passkey = allowsPasskeys ? passkeySignIn(frame, next) : NOTHING
  return layout(
    frame,
    html`<section class="card lone-card"><div class="card-body"><h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problem ? html`<p class="form-problem" role="alert">${problem}</p>` : NOTHING}
${form({ action: '/sign-in', frame }, fields)}
${passkey}
${elsewhere}
<p class="note">${texts.noPassword}</p></div></section>`,
  )
}

function singleSignOnForm(frame: Frame, label: string, next: string): Html {
  const hidden = html`<input type="hidden" name="next" value="${next}">`
  return form({ action: '/sign-in/oidc', frame }, html`${hidden}${button(label, 'plain')}`)
}
