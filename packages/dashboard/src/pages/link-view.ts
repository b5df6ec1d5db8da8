// Renders the page of a one-time sign-in link. The page has a button, because a program that previews the link would
// otherwise use it up. In a frame, a script presses the button. Only pages that the operator allows can frame it, so no
// other page can sign a merchant in to a foreign account.

import { callout } from '../ui/components.ts'
import { button, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame, LinkPage } from './models.ts'

/** Returns the page of a one-time link, with a button that signs in. */
export function linkView(frame: Frame, page: LinkPage): Html {
  const { link: texts, button: signIn } = frame.texts.signIn
  const content = html`<input type="hidden" name="token" value="${page.token}">
<input type="hidden" name="next" value="${page.next}">${button(signIn)}`
  return layout(
    // The page has no navigation and no account, because the current session ends when the merchant uses the link.
    { ...frame, viewer: null },
    html`<section class="card lone-card"><div class="card-body"><h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${page.signedInAs === null ? NOTHING : callout(texts.otherSession(page.signedInAs), 'waiting')}
${form({ action: '/link', frame, attributes: html` data-send-in-frame` }, content)}
${page.signedInAs === null ? NOTHING : html`<p class="note"><a href="/">${texts.stay(page.signedInAs)}</a></p>`}</div></section>`,
  )
}
