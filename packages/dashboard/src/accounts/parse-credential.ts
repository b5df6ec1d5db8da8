// Parses the JSON of a passkey, as `PublicKeyCredential.toJSON` makes it in the browser.

/** A new passkey, or a response of a passkey to a challenge. Binary values are base64url. */
export interface Credential<Name extends string> {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  /** The dashboard uses no extension, so this has no members. */
  readonly clientExtensionResults: Record<string, never>
  readonly response: Record<Name, string> & { transports: Transport[] }
}

/** How a browser reaches a passkey. A browser uses this to find the passkey again. */
type Transport = (typeof TRANSPORTS)[number]

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
const BASE64URL = /^[A-Za-z0-9_-]+$/

/**
 * Returns only the members that better-auth needs; null if the text is not JSON of this shape. `names` are the members
 * of the response that must be base64url. better-auth checks their content. Ignores unknown transports.
 */
export function parseCredential<Name extends string>(text: string, names: readonly Name[]): Credential<Name> | null {
  const { id, rawId, type, response } = objectOf(parseJson(text))
  if (!isBase64Url(id) || !isBase64Url(rawId) || type !== 'public-key') return null
  const { transports: given, ...members } = objectOf(response)
  const values = names.map((name): [Name, unknown] => [name, members[name]])
  if (!values.every((each): each is [Name, string] => isBase64Url(each[1]))) return null
  const transports = Array.isArray(given) ? TRANSPORTS.filter((each) => given.includes(each)) : []
  const parts = Object.fromEntries(values) as Record<Name, string>
  return { id, rawId, type, clientExtensionResults: {}, response: { ...parts, transports } }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller rejects text that isn't JSON like JSON of another shape.
    return null
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function isBase64Url(value: unknown): value is string {
  return typeof value === 'string' && BASE64URL.test(value)
}
