// Reads the discovery document of an OpenID Connect provider. Each sign-in reads it again, to check that the provider
// responds before the dashboard redirects the merchant to it.

import { isSecureUrl } from '../security/is-secure-url.ts'

/** The parts of the discovery document that the dashboard uses. */
export interface DiscoveryDocument {
  /** The whole document as JSON. If it changes, the dashboard configures the provider again. */
  readonly text: string
  /** URL of further claims; null if the document has none, or if it is neither HTTPS nor local. */
  readonly userInfoUrl: string | null
  /** Whether the provider sends its issuer with every authorization response (RFC 9207). */
  readonly sendsIssuer: boolean
}

/** Time limit in ms for one response of the provider. */
export const PROVIDER_TIMEOUT_MS = 4000

const REQUIRED_ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** Returns the URL of the discovery document. */
export function discoveryUrl(issuer: string): string {
  return `${withoutSlash(issuer)}/.well-known/openid-configuration`
}

/**
 * Returns the document of the issuer. Returns null if no document arrives in time, or if it names another issuer; a
 * slash at the end makes no difference. Also returns null if a required endpoint is missing, or is neither HTTPS nor
 * local. Doesn't reject.
 */
export async function readDiscoveryDocument(issuer: string): Promise<DiscoveryDocument | null> {
  const document = await fetchObject(discoveryUrl(issuer))
  if (document === null || withoutSlash(stringOf(document.issuer)) !== withoutSlash(issuer)) return null
  if (!REQUIRED_ENDPOINTS.every((name) => isSecureUrl(stringOf(document[name])))) return null
  const userInfoUrl = stringOf(document.userinfo_endpoint)
  return {
    text: JSON.stringify(document),
    userInfoUrl: isSecureUrl(userInfoUrl) ? userInfoUrl : null,
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
  }
}

/**
 * Returns the JSON object at `url`. Returns null for other JSON, for a status that is not 2xx, and for a redirect. Also
 * returns null if the connection fails, or if the response takes more than `PROVIDER_TIMEOUT_MS`. Doesn't reject.
 */
export async function fetchObject(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) })
    return response.ok ? objectOf(await response.json()) : null
  } catch {
    return null
  }
}

/** Returns a copy of the value if it is an object and no array; otherwise null. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '')
}
