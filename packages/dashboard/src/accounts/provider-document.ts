// What an OpenID Connect provider says of itself, read anew for each sign-in: that it answers at all is what decides
// whether a merchant is sent there.

import { isSafeAddress } from '../security/safe-address.ts'

/** What a provider says of itself. */
export interface ProviderDocument {
  /** The whole document: another text is another provider to the library. */
  readonly text: string
  /** null where claims are in the ID token alone. */
  readonly userInfoUrl: string | null
  /** Whether the provider sends its issuer with every authorization response (RFC 9207). */
  readonly namesItself: boolean
}

/** How long a provider may take for one answer. */
export const PROVIDER_ANSWER_MS = 4000

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** Address of the document. */
export function documentUrl(issuer: string): string {
  return `${withoutSlash(issuer)}/.well-known/openid-configuration`
}

/** The document; null where none comes in time, or one of another issuer, or with an address that others can read on. */
export async function readProviderDocument(issuer: string): Promise<ProviderDocument | null> {
  const document = await fetchObject(documentUrl(issuer))
  if (document === null || withoutSlash(textOf(document.issuer)) !== withoutSlash(issuer)) return null
  if (!NEEDED.every((name) => isSafeAddress(textOf(document[name])))) return null
  const userInfoUrl = textOf(document.userinfo_endpoint)
  return {
    text: JSON.stringify(document),
    userInfoUrl: isSafeAddress(userInfoUrl) ? userInfoUrl : null,
    namesItself: document.authorization_response_iss_parameter_supported === true,
  }
}

/** What an address of the provider answers as a JSON object; null where it gives none in time. */
export async function fetchObject(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(PROVIDER_ANSWER_MS) })
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '')
}
