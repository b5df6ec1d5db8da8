// Encodes positions in lists as cursors. Clients pass them back unchanged. An edited cursor can only lead to another
// position, so cursors are not signed.

import * as z from 'zod'

/** Returns the cursor for a position: its JSON in base64url. */
export function encodeCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/**
 * Returns a schema for the parameter `cursor`. Its output is the position; null without the parameter. `position` is
 * the schema that a decoded cursor must match.
 */
export function cursorOf<S extends z.ZodType>(position: S) {
  return z
    .string()
    .optional()
    .transform((text, context): z.output<S> | null => {
      if (text === undefined) return null
      const found = position.safeParse(decode(text))
      if (found.success) return found.data
      context.addIssue({ code: 'custom', message: 'must be next_cursor of an earlier response' })
      return z.NEVER
    })
    .meta({ description: '`next_cursor` of the page before.' })
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
