// Removes the watermark from responses, so that tests can compare them. Two responses to the same request without a
// cursor differ only in the watermark and the seal of their next cursor.

/** Characters of a cursor that contain the position. The watermark and the seal follow. */
const POSITION_CHARACTERS = 34

/** Returns a body without the watermark and the seal in its next cursor. */
export function withoutWatermark(body: string): string {
  return body.replace(/("next_cursor":"[\w-]+)"/, (found) =>
    found.slice(0, '"next_cursor":"'.length + POSITION_CHARACTERS),
  )
}
