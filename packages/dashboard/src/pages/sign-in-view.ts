// The sign-in form, and the button to the operator's own login where there is one.

import { button, field, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame, SignInPage } from './models.ts'

/** The whole page. A problem is told above, not at a field: which of the two was wrong is not said. */
export function signInView(frame: Frame, page: SignInPage): Html {
  const { email, problem, next, singleSignOnLabel } = page
  const fields = html`${field({ name: 'email', label: 'E-mail', type: 'email', value: email, autocomplete: 'username', lengthMax: 254 })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<input type="hidden" name="next" value="${next}">
${button('Sign in')}`
  const elsewhere = singleSignOnLabel === null ? NOTHING : singleSignOnForm(frame, singleSignOnLabel, next)
  return layout(
    frame,
    html`<section class="card lone-card"><div class="card-body"><h1>Sign in</h1>
<p class="lead">Sign in to create keys for your tools and see what they do.</p>
${problem ? html`<p class="form-problem" role="alert">${problem}</p>` : NOTHING}
${form({ action: '/sign-in', frame }, fields)}
${elsewhere}
<p class="note">No password, or forgotten it? Ask whoever runs your shop's platform for a sign-in link.</p></div></section>`,
  )
}

function singleSignOnForm(frame: Frame, label: string, next: string): Html {
  const hidden = html`<input type="hidden" name="next" value="${next}">`
  return form({ action: '/sign-in/oidc', frame }, html`${hidden}${button(label, 'plain')}`)
}
