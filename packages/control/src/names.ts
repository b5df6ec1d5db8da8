// The rule for names of stores and keys. Lists, pages, emails, and logs show these names between other text.

/** Controls, lone surrogates, line separators, and direction controls. A name with one could disguise other text. */
export const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
/** Characters that change the direction of text. Arabic and Hebrew need none of them. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g
/** Matches characters that are invisible alone: controls, separators, combining marks, and fillers that are letters. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/gu

/**
 * Returns the requirement that the name does not meet, with the reason; null if it meets all of them. The length is in
 * characters (code points).
 */
export function nameProblem(name: string, lengthMax: number): string | null {
  const length = Array.from(name).length
  const isVisible = name.replace(INVISIBLE, '') !== ''
  if (isVisible && length <= lengthMax && name.search(UNSAFE_CHARACTERS) === -1) return null
  return `must have 1 to ${lengthMax} characters, one of them visible, without control characters; got ${length} characters`
}

/** Returns a stored name for a page or an email, where direction controls would change the text after the name. */
export function withoutDirectionControls(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}
