// Checks the name of a key, which merchants see in lists.

/** Maximum length of a key's name, in characters (code points). */
const KEY_NAME_LENGTH_MAX = 80

/** Thrown for a name that is not accepted. The message contains the rule. */
export class InvalidKeyNameError extends Error {
  override readonly name = 'InvalidKeyNameError'
}

/** Matches characters that are invisible alone: controls, separators, combining marks, and fillers that are letters. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/gu

/**
 * Returns the name without spaces around it, in Unicode form NFC. Throws `InvalidKeyNameError` if it has no visible
 * character, more than 80 characters, or a control, a line separator, a bidirectional control, or a lone surrogate.
 */
export function checkKeyName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length
  if (
    length < 1 ||
    length > KEY_NAME_LENGTH_MAX ||
    name.replace(INVISIBLE, '') === '' ||
    /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)
  ) {
    throw new InvalidKeyNameError(
      `name: must have 1 to ${KEY_NAME_LENGTH_MAX} characters, one of them visible, without control characters; got ${length} characters`,
    )
  }
  return name
}
