// Parses the body of a leak report, as GitHub's secret scanning sends it:
// https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partnership-program/secret-scanning-partner-program
// leak-report-endpoint.ts checks the signature of the body first.

import { ApiError, maskKeys } from '@store-export/contract'

/** A token that a scanner found in public, and where. */
export interface ReportedToken {
  readonly token: string
  /** The scanner's name for the pattern that the token matches. */
  readonly type: string
  /** Address of the place, at most 2,000 characters, with masked keys; '' if the report has none. */
  readonly url: string
  /** Kind of the place, such as `commit` or `issue_title`, at most 100 characters; '' if the report has none. */
  readonly source: string
}

/** Maximum number of tokens in one report. */
const TOKENS_MAX = 10_000
const URL_LENGTH_MAX = 2000
const SOURCE_LENGTH_MAX = 100

/**
 * Returns the tokens of a report. Throws `INVALID_PARAM` if the body is not a report, or has more than 10,000 tokens.
 */
export function parseReport(body: Buffer): ReportedToken[] {
  const report = parseJson(body)
  if (!Array.isArray(report)) throw invalidReport('a JSON array')
  if (report.length > TOKENS_MAX) throw invalidReport(`a JSON array with at most ${TOKENS_MAX} objects`)
  return report.map(tokenOf)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    // The error quotes the body, which can contain keys.
    throw invalidReport('a JSON array in UTF-8')
  }
}

function tokenOf(value: unknown): ReportedToken {
  const { token, type, url, source } = Object(value) as Readonly<Record<string, unknown>>
  if (typeof token !== 'string' || typeof type !== 'string')
    throw invalidReport('a JSON array of objects with the strings token and type')
  return { token, type, url: placeText(url, URL_LENGTH_MAX), source: placeText(source, SOURCE_LENGTH_MAX) }
}

/**
 * Returns the text for the audit table, with masked keys, and without characters of the Unicode category Other, such as
 * control and format characters. Removes these characters first, because one inside a key would hide the key from
 * `maskKeys`. A surrogate pair that the limit cuts becomes U+FFFD. Returns '' if `value` is not a string.
 */
function placeText(value: unknown, lengthMax: number): string {
  if (typeof value !== 'string') return ''
  return maskKeys(value.replace(/\p{C}/gu, '')).slice(0, lengthMax).toWellFormed()
}

function invalidReport(rule: string): ApiError {
  return new ApiError('INVALID_PARAM', `body: must be ${rule}`)
}
