// The format of API keys: a prefix, 256 random bits in base62, and a CRC32 of both in base62. An operator can choose
// the prefix, so that secret scanners recognize the keys of the platform. Keys with an earlier prefix stay valid.

/** First characters of new keys, if the operator sets no others. */
export const DEFAULT_KEY_PREFIX = 'sdx_'

/** Every accepted prefix, as the source of a regular expression. The rest of a key contains no `_`. */
export const KEY_PREFIX_PATTERN = '[a-z][a-z0-9_]{0,14}_'

/** What an accepted prefix is, as the words after "must be" in a message. */
export const KEY_PREFIX_RULE =
  '2 to 16 lowercase letters, digits and _, beginning with a letter and ending with _, such as acme_'

/** Characters of a key after its prefix: 43 of the secret part, and 6 of the checksum. */
export const KEY_REST_LENGTH = 49

/**
 * Fewest characters after a prefix other than `sdx_` that count as a part of a key. A part with fewer characters leaves
 * at least 65 of the 256 bits unknown. A lower number would match IDs such as `req_` with 32 hexadecimal digits.
 */
const PART_LENGTH_MIN = 33

/**
 * Matches a key with its prefix, as the source of a regular expression. Also matches a key that was cut after at least
 * 33 characters of its rest, or after one if its prefix is `sdx_`.
 */
export const KEY_IN_TEXT = `${DEFAULT_KEY_PREFIX}[0-9A-Za-z]+|${KEY_PREFIX_PATTERN}[0-9A-Za-z]{${PART_LENGTH_MIN},}`

const KEYS = new RegExp(KEY_IN_TEXT, 'g')

/**
 * Returns `text` with `…` after the prefix of each match of `KEY_IN_TEXT`, in place of the rest. A client can send its
 * key in the wrong place, and no response may contain a key.
 */
export function maskKeys(text: string): string {
  return text.replace(KEYS, (key) => `${key.slice(0, key.lastIndexOf('_') + 1)}…`)
}
