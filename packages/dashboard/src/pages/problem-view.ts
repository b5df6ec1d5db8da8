// Where something ends: a page that is not there, a form that was sent before, a fault.

import { linkButton } from '../look/forms.ts'
import { type Html, html } from '../look/html.ts'
import { layout } from '../look/layout.ts'
import type { Frame, ProblemPage } from './models.ts'

/** The whole page. */
export function problemView(frame: Frame, { heading, text, next }: ProblemPage): Html {
  return layout(
    frame,
    html`<section class="problem-page${frame.viewer === null ? ' card lone-card' : ''}"><div class="card-body"><h1>${heading}</h1><p class="lead">${text}</p><p class="actions">${linkButton(next.label, next.href, { kind: 'main' })}</p></div></section>`,
  )
}
