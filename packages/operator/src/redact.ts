// Removes secrets and personal data from text for logs. This is a second line of defense: events contain no such
// values, but messages of drivers and servers may quote their input.

import { KEY_IN_TEXT } from '@store-export/contract'

/** Patterns and what replaces their matches, in this order. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(KEY_IN_TEXT, 'g'), '[key]'],
  [/(\bpostgres(?:ql)?:\/\/)[^\s"'<>]*@/gi, '$1[user]@'],
  [/\?[^\s"'<>?]*=[^\s"'<>]*/g, '?[query]'],
  [/\b(password|passwd|secret|token|cursor)(["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi, '$1$2[secret]'],
  // A role with a server, such as postgres@db-1.internal:5432 in errors of Citus, is no email address.
  // The part before @ has at most 64 characters, also so that a long text takes linear time.
  [
    /[^\s@"'<>()=:,;/]{1,64}@(?:[^\s@"'<>()=:,;/.]+\.+)+[^\s@"'<>()=:,;/.]+\.*(?![^\s@"'<>()=:,;/]|:\d{2,5}\b)/g,
    '[email]',
  ],
  // A UUID has 36 characters and stays readable. Cursors and base64 secrets are longer.
  [/[A-Za-z0-9_+-]{40,}={0,2}/g, '[token]'],
]

/**
 * Text that no rule matches: short, without a key, and without the characters that the rules need. Most logged text of
 * a request is like this, so it skips the rules.
 */
const PLAIN = new RegExp(`^(?!.*(${KEY_IN_TEXT}))[\\w /{}.-]{0,39}$`)

/**
 * Returns the text without keys, users and passwords of database URLs, query strings, named secrets such as
 * `password=…`, email addresses, and long tokens.
 */
export function redact(text: string): string {
  if (PLAIN.test(text)) return text
  let clean = text
  for (const [pattern, label] of RULES) {
    clean = clean.replace(pattern, label)
  }
  return clean
}

/** Returns the redacted text. A text of more than `lengthMax` characters is cut there and ends with `…`. */
export function redactAndCut(text: string, lengthMax: number): string {
  const clean = redact(text)
  return clean.length <= lengthMax ? clean : `${clean.slice(0, lengthMax)}…`
}
