// Opens the socket of one database connection: TCP or Unix, with the TLS that the URL asks for.
// postgres.js 3.4.9 does this otherwise by itself, but sends sslrootcert to the server as a session parameter,
// knows no verify-ca, tries several unreachable hosts for ever without telling its caller, and reconnects without
// a pause to a server that accepts and closes. Where to connect is chosen in connection.ts.

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { guardSocket } from './connection-guard.ts'
import type { RowReader } from './connection-messages.ts'
import { type DatabaseHost, hostText, type TlsSettings } from './connection-url.ts'
import { hostLookup } from './host-lookup.ts'
import { tlsContextOf } from './tls-context.ts'

/** Message that asks a server whether it speaks TLS; the answer is one byte, S or N. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const YES = 'S'.charCodeAt(0)

/** What a socket needs beside its host. */
export interface SocketSettings {
  readonly tls: TlsSettings
  readonly timeoutMs: number
  /** Receives the bytes of rows. */
  readonly reader: RowReader
  /** Called when the server is ready for the first statement, and again after that statement. */
  readonly onReady: (() => void) | undefined
}

/**
 * What a server sends without TLS is read into these bytes, for all connections one after the other: who gets them takes
 * what he needs before he returns. Fresh memory for each reading made the collector run all the time.
 */
const CHUNK = Buffer.allocUnsafeSlow(64 * 1024)

/** A connected socket, ready for the server's startup message. Throws an Error with a `code` when there is none. */
export async function openSocket(host: DatabaseHost, { tls, timeoutMs, ...watch }: SocketSettings): Promise<Socket> {
  const plain = await within(timeoutMs, host, open(host, host.kind === 'unix' || tls.mode === 'disable'))
  try {
    const socket = host.kind === 'unix' ? plain : await within(timeoutMs, host, secure(plain, host.host, tls))
    guardSocket(socket, hostText(host), watch)
    return socket
  } catch (error) {
    plain.destroy()
    throw error
  }
}

function open(host: DatabaseHost, sharesChunk: boolean): Pending {
  const onread = {
    buffer: CHUNK,
    callback(count: number): boolean {
      socket.emit('data', CHUNK.subarray(0, count))
      return true
    },
  }
  const socket = connectTcp({
    ...(host.kind === 'unix' ? { path: host.path } : { host: host.host, port: host.port, lookup: hostLookup.lookup }),
    ...(sharesChunk ? { onread } : {}),
  })
  socket.setNoDelay(true)
  return { done: event(socket, 'connect').then(() => socket), stop: () => socket.destroy() }
}

function secure(plain: Socket, servername: string, tls: TlsSettings): Pending {
  return { done: negotiate(plain, servername, tls), stop: () => plain.destroy() }
}

async function negotiate(plain: Socket, host: string, tls: TlsSettings): Promise<Socket> {
  if (tls.mode === 'disable' || tls.mode === 'allow') {
    return plain
  }
  if (!tls.direct && !(await offersTls(plain))) {
    if (tls.mode === 'prefer') {
      return plain
    }
    throw problem('ETLSREFUSED', `the server offers no TLS, which sslmode=${tls.mode} asks for`)
  }
  const secured = connectTls({ socket: plain, ...(await tlsOptions(host, tls)) })
  await event(secured, 'secureConnect').catch((error: unknown) => {
    throw explainIssuer(error, tls)
  })
  return secured
}

/** Codes of OpenSSL for a certificate whose issuer is not trusted. */
const UNKNOWN_ISSUER = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY)/

/** Node's own message advises a flag of Node, although the connection URL can name the authority. */
function explainIssuer(error: unknown, { rootCertificate }: TlsSettings): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!UNKNOWN_ISSUER.test(code)) return error
  const advice =
    rootCertificate === null
      ? 'if a private CA issued it, add sslrootcert=/path/to/ca.pem to the connection URL'
      : 'sslrootcert must name the certificate of the CA that issued it'
  return problem(code, `the server's certificate was not issued by a trusted CA: ${advice}`)
}

async function offersTls(plain: Socket): Promise<boolean> {
  plain.write(SSL_REQUEST)
  const [answer] = await event(plain, 'data')
  return Buffer.isBuffer(answer) && answer[0] === YES
}

async function tlsOptions(host: string, tls: TlsSettings): Promise<ConnectionOptions> {
  const verified = tls.mode === 'verify-ca' || tls.mode === 'verify-full'
  return {
    host,
    rejectUnauthorized: verified,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(tls.direct ? { ALPNProtocols: ['postgresql'] } : {}),
    ...(tls.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    secureContext: await tlsContextOf(tls),
  }
}

interface Pending {
  readonly done: Promise<Socket>
  readonly stop: () => void
}

async function within(timeoutMs: number, host: DatabaseHost, pending: Pending): Promise<Socket> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      pending.stop()
      reject(problem('CONNECT_TIMEOUT', `${hostText(host)} did not answer within ${timeoutMs} ms`))
    }, timeoutMs)
  })
  try {
    return await Promise.race([pending.done, tooLate])
  } finally {
    clearTimeout(timer)
    pending.done.catch(() => undefined)
  }
}

/** Arguments of the next such event; rejects when the socket fails or closes first. */
function event(socket: Socket, name: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.removeListener(name, onEvent)
      socket.removeListener('close', onClose)
      act()
    }
    const onEvent = (...values: unknown[]) => settle(() => resolve(values))
    const onClose = () => settle(() => reject(problem('ECONNRESET', 'the server closed the connection')))
    socket.once(name, onEvent)
    socket.once('close', onClose)
    // Never removed: between two owners of the socket an error without a listener would end the process.
    socket.on('error', (error) => settle(() => reject(error)))
  })
}

function problem(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
