// Defines HTML fragments. Hono's template tag escapes every value, and no view bypasses it.

import { html } from 'hono/html'

export { html }

/** A fragment of HTML, escaped. */
export type Html = ReturnType<typeof html>

/** An empty fragment. */
export const NOTHING: Html = html``
