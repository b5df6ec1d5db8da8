// Checks email addresses, before an account or an invitation stores them.

/** Thrown for a string that is not an email address. */
export class InvalidEmailError extends Error {
  override readonly name = 'InvalidEmailError'
}

/** Maximum length of an address that SMTP can deliver to (RFC 5321). */
const EMAIL_LENGTH_MAX = 254
/** Forbids the separators and quotes of address lists, so that an email has exactly one recipient. */
const EMAIL = /^[^\s@\p{Cc}<>"(),:;[\]\\]+@[^\s@\p{Cc}<>"(),:;[\]\\]+\.[^\s@\p{Cc}<>"(),:;[\]\\]+$/u

/**
 * Returns the address in lower case and without spaces around it, as the control database stores it. Throws
 * `InvalidEmailError` for a string that is not an address.
 */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > EMAIL_LENGTH_MAX || !EMAIL.test(email))
    throw new InvalidEmailError(
      `must be an email address such as name@shop.example; got ${JSON.stringify(text.slice(0, 80))}`,
    )
  return email
}
