// Pieces of HTML. hono's template escapes whatever is put into it; nothing here or in the views goes around that.

import { html } from 'hono/html'

export { html }

/** A piece of HTML, escaped. */
export type Html = ReturnType<typeof html>

/** No piece at all. */
export const NOTHING: Html = html``
