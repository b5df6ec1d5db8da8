// Recognizes connection errors that a retry cannot fix: an unknown host, another protocol, or a certificate that is not
// trusted. `EAI_AGAIN` is not one of them, because the name server can respond later.

/** Patterns of Node's error codes, each with the end of the client's message. */
const MESSAGES: readonly (readonly [code: RegExp, message: string])[] = [
  [/^ENOTFOUND$/, 'the host is unknown. Check the address'],
  [
    /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|EPROTO)$/,
    'the server does not speak TLS. Check the port, or use http:// for a service on this machine',
  ],
  [/^HPE_INVALID_/, 'the server does not speak HTTP. Check the port, or use https://'],
  [
    /^(?:ERR_TLS_CERT_|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH)/,
    'the certificate is not trusted. Check the address, or set NODE_EXTRA_CA_CERTS to the file of your own CA',
  ],
]

/**
 * Returns the end of the message for the code of an error that a retry cannot fix; null for other codes and without a
 * code.
 */
export function addressErrorMessage(code: string | null): string | null {
  return MESSAGES.find(([pattern]) => pattern.test(code ?? ''))?.[1] ?? null
}
