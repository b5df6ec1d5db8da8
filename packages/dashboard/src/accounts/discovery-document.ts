// What an OpenID Connect provider says of itself, read anew for each sign-in: that it answers at all is what decides
// whether a merchant is sent there.

import { isSecureUrl } from '../security/is-secure-url.ts'

/** What a provider says of itself. */
export interface DiscoveryDocument {
  /** The whole document: another text is another provider to the library. */
  readonly text: string
  /** null where claims are in the ID token alone. */
  readonly userInfoUrl: string | null
  /** Whether the provider sends its issuer with every authorization response (RFC 9207). */
  readonly sendsIssuer: boolean
}

/** How long a provider may take for one answer. */
export const PROVIDER_TIMEOUT_MS = 4000

const REQUIRED_ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** Address of the document. */
export function discoveryUrl(issuer: string): string {
  return `${withoutSlash(issuer)}/.well-known/openid-configuration`
}

/** The document; null where none comes in time, or one of another issuer, or with an address that others can read on. */
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

/** What an address of the provider answers as a JSON object; null where it gives none in time. */
export async function fetchObject(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) })
    return response.ok ? objectOf(await response.json()) : null
  } catch {
    // no connection, too late, a redirect, or no JSON: each of them is a provider that cannot be used now
    return null
  }
}

/** The value where it is an object, null for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? { ...value } : null
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '')
}
