// Renders the page of a one-time sign-in link. The page has a button, because a program that previews the link would
// otherwise use it up.

import { callout } from '../ui/components.ts'
import { button, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame, LinkPage } from './models.ts'

/** Returns the page of a one-time link, with a button that signs in. */
export function linkView(frame: Frame, page: LinkPage): Html {
  const content = html`<input type="hidden" name="token" value="${page.token}">${button('Sign in')}`
  return layout(
    // The page has no navigation and no account, because the current session ends when the merchant uses the link.
    { ...frame, viewer: null },
    html`<section class="card lone-card"><div class="card-body"><h1>Sign in with this link</h1>
<p class="lead">The link works once and expires soon.</p>
${page.signedInAs === null ? NOTHING : otherSession(page.signedInAs)}
${form({ action: '/link', frame }, content)}
${page.signedInAs === null ? NOTHING : html`<p class="note"><a href="/">Stay signed in as ${page.signedInAs}</a></p>`}</div></section>`,
  )
}

function otherSession(email: string): Html {
  return callout(
    html`This browser is signed in as <strong>${email}</strong>. If you use the link, that account is signed out.`,
    'waiting',
  )
}
