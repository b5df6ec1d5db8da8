// A row's JSON made readable. Digits and names stay as they were sent.

import { parseExact } from './exact-json.ts'

/** `text` with a line for each member, indented by two blanks. Throws `SyntaxError` where it is no JSON. */
export function formatJson(text: string): string {
  return JSON.stringify(parseExact(text), null, 2)
}
