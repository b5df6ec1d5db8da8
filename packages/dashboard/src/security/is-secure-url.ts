// Checks that traffic to a URL is encrypted, or stays on this machine.

/** The loopback addresses that count, in the form of `URL.hostname`. Others, such as 127.0.0.2, don't. */
const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/** Whether the URL is HTTPS, or HTTP on a loopback address; false if it is not a URL. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_NAMES.includes(hostname))
}
