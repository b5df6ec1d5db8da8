// Renders error pages.

import { linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { ErrorPage, Frame } from './models.ts'

/**
 * Returns an error page, with a link to the next step. Without a session, it looks like the sign-in page, a single
 * card.
 */
export function errorView(frame: Frame, { heading, text, next }: ErrorPage): Html {
  return layout(
    frame,
    html`<section class="problem-page${frame.viewer === null ? ' card lone-card' : ''}"><div class="card-body"><h1>${heading}</h1><p class="lead">${text}</p><p class="actions">${linkButton(next.label, next.href, { kind: 'main' })}</p></div></section>`,
  )
}
