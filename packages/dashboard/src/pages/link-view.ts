// The page behind a one-time link: one button, since programs that preview links open them too.

import { button, form } from '../look/forms.ts'
import { type Html, html } from '../look/html.ts'
import { layout } from '../look/layout.ts'
import type { Frame, LinkPage } from './models.ts'

/** The whole page. */
export function linkView(frame: Frame, page: LinkPage): Html {
  const content = html`<input type="hidden" name="token" value="${page.token}">${button('Sign in')}`
  return layout(
    frame,
    html`<section class="card lone-card"><div class="card-body"><h1>Sign in with this link</h1>
<p class="lead">The link works once, and only for a short time.</p>
${form({ action: '/link', frame }, content)}</div></section>`,
  )
}
