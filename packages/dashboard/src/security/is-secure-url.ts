// Whether what is sent to an address stays unread on its way.

/** Names of this machine, as `URL.hostname` writes them. */
const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/** Whether it is https, or http on a loopback address; false for what is no address. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_NAMES.includes(hostname))
}
