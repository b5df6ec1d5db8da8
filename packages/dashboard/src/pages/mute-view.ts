// Renders the page of a link that stops the emails about a key. The page has a button, because a program that previews
// the link would otherwise stop the emails.

import { button, form } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import type { Frame } from './models.ts'

/** Returns the page, without the name of the key, because anyone with the link can open it. */
export function muteView(frame: Frame, page: { readonly token: string; readonly isMuted: boolean }): Html {
  const { mute: texts } = frame.texts.emails
  const content = html`<input type="hidden" name="token" value="${page.token}">${button(texts.button)}`
  const card = page.isMuted
    ? html`<h1>${texts.done}</h1>
<p class="lead">${texts.doneText}</p>
<p><a href="/">${texts.openDashboard}</a></p>`
    : html`<h1>${texts.heading}</h1>
<p class="lead">${texts.text}</p>
${form({ action: '/mute', frame }, content)}`
  return layout(
    { ...frame, viewer: null },
    html`<section class="card lone-card"><div class="card-body">${card}</div></section>`,
  )
}
