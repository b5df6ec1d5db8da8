// Checks the name of a key, which merchants see in lists.

import { nameProblem } from '../names.ts'

/** Maximum length of a key's name, in characters (code points). */
const KEY_NAME_LENGTH_MAX = 80

/** Thrown for a name that is not accepted. The message contains the rule. */
export class InvalidKeyNameError extends Error {
  override readonly name = 'InvalidKeyNameError'
}

/**
 * Returns the name without spaces around it, in Unicode form NFC. Throws `InvalidKeyNameError` if it is not accepted.
 */
export function checkKeyName(text: string): string {
  const name = text.trim().normalize('NFC')
  const problem = nameProblem(name, KEY_NAME_LENGTH_MAX)
  if (problem !== null) throw new InvalidKeyNameError(`name: ${problem}`)
  return name
}
