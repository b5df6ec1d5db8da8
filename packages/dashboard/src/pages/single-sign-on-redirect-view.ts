// The page between our sign-in and the operator's own login: the browser goes on by itself, and there is a link for one
// that does not.

import { linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame } from './models.ts'

/** The whole page; `address` is where to go on. */
export function singleSignOnRedirectView(frame: Frame, address: string): Html {
  return layout(
    frame,
    html`<section class="card lone-card"><div class="card-body"><h1>Going to the sign-in</h1>
<p class="lead">You sign in at ${new URL(address).host}, and come back here.</p>
${linkButton('Go on', address, { kind: 'main' })}</div></section>`,
  )
}
