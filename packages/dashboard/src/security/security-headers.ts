// Defines the security headers of the dashboard. Pages load scripts and styles only from this origin. Only the origins
// that the operator named can frame them.

import type { Origins } from './origins.ts'

/** The Content-Security-Policy without `frame-ancestors`. It forbids inline scripts and styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
]

/**
 * Returns the security headers of a response. `X-Frame-Options` can't name other origins, so it is absent if they may
 * frame the dashboard. The referrer policy is `same-origin`, because `no-referrer` makes browsers send forms with the
 * origin "null", which the CSRF check rejects. Over HTTPS, browsers use only HTTPS for the next year.
 */
export function securityHeaders({
  isSecure,
  frameAncestors,
}: Pick<Origins, 'isSecure' | 'frameAncestors'>): Readonly<Record<string, string>> {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')
  return {
    'content-security-policy': [...POLICY, `frame-ancestors ${ancestors}`].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...(frameAncestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
    'x-robots-tag': 'noindex',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}
