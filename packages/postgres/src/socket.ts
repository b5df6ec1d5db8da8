// Opens the socket of a database connection, TCP or Unix, and starts TLS as `sslmode` says.

import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { certificateHash } from './certificate-hash.ts'
import { type DatabaseHost, hostText, type TlsSettings } from './connection-url.ts'
import { asPostgresConnectionError, PostgresConnectionError, protocolError } from './errors.ts'
import { hostLookup } from './host-lookup.ts'
import { tlsContextOf } from './tls-context.ts'

/** Requests TLS from a server. The response is one byte, S or N. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const YES = 'S'.charCodeAt(0)
const NO = 'N'.charCodeAt(0)
/** Idle time after which the operating system checks whether the server is still reachable. */
const KEEPALIVE_MS = 60_000

/**
 * Memory that all sockets without TLS share. `onBytes` copies what it needs before it returns. With new memory for each
 * read, the garbage collector ran all the time.
 */
const CHUNK = Buffer.allocUnsafeSlow(64 * 1024)

/** A connected socket that is ready for the startup message, after the TLS handshake if there was one. */
export interface OpenSocket {
  readonly socket: Socket
  /** Whether the connection uses TLS or a Unix socket, so that eavesdroppers can't read it. */
  readonly isPrivate: boolean
  /**
   * Hash of the server's certificate, which binds SCRAM to the TLS channel; null without TLS, and if
   * certificate-hash.ts knows no hash function for the certificate's signature algorithm.
   */
  readonly certificateHash: Buffer | null
}

/** The protection of the socket, and what happens with its bytes. */
export interface SocketOptions {
  readonly tls: TlsSettings
  /** Called with the server's bytes, in memory that the next call overwrites. */
  readonly onBytes: (bytes: Buffer) => void
  /** Ends the attempt to open the socket. */
  readonly signal: AbortSignal
}

/**
 * Opens a socket. Close it after its use. Over TCP, starts TLS, unless the mode is `disable`, or is `prefer` and the
 * server offers none.
 *
 * Rejects with the signal's reason on abort, but with `PostgresConnectionError` `ETIMEDOUT` if the host has not
 * accepted the TCP connection by then. Rejects with `PostgresConnectionError` if the host is unreachable, TLS fails or
 * is refused, a certificate file can't be read, or the server breaks the protocol.
 */
export async function openSocket(host: DatabaseHost, { tls, onBytes, signal }: SocketOptions): Promise<OpenSocket> {
  signal.throwIfAborted()
  const isPlain = host.kind === 'unix' || tls.mode === 'disable'
  const reader: PlainReader = { onBytes: isPlain ? onBytes : dropBytes }
  const socket = connect(host, reader)
  let wasResolved = host.kind === 'unix' || isIP(host.host) !== 0
  socket.once('lookup', (error) => (wasResolved = error === null))
  let wasConnecting = false
  // After a stall of the event loop, the timer of the signal can come before the event of an open connection.
  const stop = () =>
    setImmediate(() => {
      wasConnecting = socket.connecting && wasResolved
      socket.destroy()
    })
  signal.addEventListener('abort', stop, { once: true })
  try {
    await unlessClosed(socket, (resolve) => socket.once('connect', resolve))
    if (isPlain) return { socket, isPrivate: host.kind === 'unix', certificateHash: null }
    if (!tls.direct && !(await offersTls(socket, reader))) {
      requirePlainAllowed(tls)
      reader.onBytes = onBytes
      return { socket, isPrivate: false, certificateHash: null }
    }
    const secured = await secure(socket, host.host, tls)
    secured.on('data', onBytes)
    return { socket: secured, isPrivate: true, certificateHash: hashOf(secured) }
  } catch (error) {
    socket.destroy()
    if (wasConnecting) throw notConnected(host, signal)
    signal.throwIfAborted()
    throw asPostgresConnectionError(error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The current consumer of a plain socket's bytes. It changes while the client and the server agree on TLS. */
interface PlainReader {
  onBytes: SocketOptions['onBytes']
}

const dropBytes = () => undefined

function connect(host: DatabaseHost, reader: PlainReader): Socket {
  const callback = (count: number) => {
    reader.onBytes(CHUNK.subarray(0, count))
    return true
  }
  const socket = connectTcp({
    ...(host.kind === 'unix' ? { path: host.path } : { host: host.host, port: host.port, lookup: hostLookup.lookup }),
    onread: { buffer: CHUNK, callback },
  })
  socket.setNoDelay(true)
  if (host.kind === 'tcp') socket.setKeepAlive(true, KEEPALIVE_MS)
  return socket
}

/** Packets are lost, or the machine is down. A machine whose database hangs still accepts TCP connections. */
function notConnected(host: DatabaseHost, { reason }: AbortSignal): PostgresConnectionError {
  const message = `${hostText(host)} did not accept a TCP connection in time; check the machine, the network, and the firewall`
  return new PostgresConnectionError('ETIMEDOUT', message, { cause: reason })
}

function requirePlainAllowed({ mode }: TlsSettings): void {
  if (mode === 'prefer') return
  throw new PostgresConnectionError(
    'TLS_REFUSED',
    `the server offers no TLS, but sslmode=${mode} requires it; turn on TLS on the server, or remove sslmode in a private network`,
  )
}

async function secure(plain: Socket, host: string, tls: TlsSettings): Promise<TLSSocket> {
  const closed = once(plain, 'close').then(() => {
    throw new PostgresConnectionError('ECONNRESET', 'the server closed the connection; check the log of the server')
  })
  // Reading the certificates can take long. A socket that was closed in the meantime emits no more events.
  const options = await Promise.race([tlsOptions(host, tls), closed])
  const secured = connectTls({ socket: plain, ...options })
  await unlessClosed(secured, (resolve) => secured.once('secureConnect', resolve)).catch((error: unknown) => {
    throw explainIssuer(error, tls)
  })
  return secured
}

/** Codes of OpenSSL for a certificate whose issuer is not trusted. */
const UNKNOWN_ISSUER = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY)/

/** Replaces the message of Node.js, which recommends a flag of Node.js. The connection URL can name the CA instead. */
function explainIssuer(error: unknown, { rootCertificate }: TlsSettings): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!UNKNOWN_ISSUER.test(code)) return error
  const advice =
    rootCertificate === null
      ? 'if a private CA issued it, add sslrootcert=/path/to/ca.pem to the connection URL'
      : 'sslrootcert must name the certificate of the CA that issued it'
  return new PostgresConnectionError(code, `the server's certificate was not issued by a trusted CA: ${advice}`)
}

/**
 * Whether the server offers TLS. Rejects with `PostgresConnectionError` for another response, and if more bytes follow
 * it, because the client would read them as protected by TLS (CVE-2021-23222).
 */
async function offersTls(plain: Socket, reader: PlainReader): Promise<boolean> {
  plain.write(SSL_REQUEST)
  const bytes = await unlessClosed<Buffer>(plain, (resolve) => {
    reader.onBytes = (bytes) => {
      // Drops the bytes that arrive before TLS protects the socket.
      reader.onBytes = dropBytes
      resolve(Buffer.from(bytes))
    }
  })
  const byte = bytes.length === 1 ? bytes[0] : null
  if (byte !== YES && byte !== NO) throw protocolError('something other than S or N in response to a request for TLS')
  return byte === YES
}

async function tlsOptions(host: string, tls: TlsSettings): Promise<ConnectionOptions> {
  const isVerified = tls.mode === 'verify-ca' || tls.mode === 'verify-full'
  return {
    host,
    rejectUnauthorized: isVerified,
    // TLS allows only a name here, not an IP address (RFC 6066).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // PostgreSQL requires this protocol name for direct TLS.
    ...(tls.direct ? { ALPNProtocols: ['postgresql'] } : {}),
    // The CA must be known, but the certificate can be for another host name.
    ...(tls.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    secureContext: await tlsContextOf(tls),
  }
}

function hashOf(secured: TLSSocket): Buffer | null {
  const { raw } = secured.getPeerCertificate()
  return raw === undefined ? null : certificateHash(raw)
}

/** Resolves when `listen` calls its argument. Rejects if the socket fails or closes first. */
function unlessClosed<T = void>(socket: Socket, listen: (resolve: (value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    listen(resolve)
    socket.once('close', () =>
      reject(
        new PostgresConnectionError('ECONNRESET', 'the server closed the connection; check the log of the server'),
      ),
    )
    // This listener stays. Without it, a later error of the socket would end the process.
    socket.on('error', reject)
  })
}
