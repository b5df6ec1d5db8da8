// Renders the page that leads to the provider of single sign-on. The browser follows the Refresh header of the
// response. The link is a fallback.

import { linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame } from './models.ts'

/** Returns the page with a link to `url`, the provider's sign-in page. */
export function singleSignOnRedirectView(frame: Frame, url: string): Html {
  const { title, lead, button } = frame.texts.signIn.redirect
  return layout(
    frame,
    html`<section class="card lone-card"><div class="card-body"><h1>${title}</h1>
<p class="lead">${lead(new URL(url).host)}</p>
${linkButton(button, url, { kind: 'main' })}</div></section>`,
  )
}
