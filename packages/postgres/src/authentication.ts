// Proves the identity of the client to the server in the way that the server requests: SCRAM, MD5, or a plain password.
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP

import { createHash } from 'node:crypto'
import { authenticationError, type PostgresConnectionError, protocolError } from './errors.ts'
import { ScramExchange, UNPROVED } from './scram.ts'

/** The client's credentials, and the properties of its connection that decide which methods are safe. */
export interface AuthenticationOptions {
  readonly user: string
  /** The password of the connection URL; null if it has none. */
  readonly password: string | null
  /** Whether the connection uses TLS or a Unix socket, so that the client may send a password in clear text. */
  readonly isPrivate: boolean
  /**
   * Hash of the server's certificate, which binds SCRAM to the TLS channel; null without TLS, or if the function
   * `certificateHash` knows no hash for the certificate (such as Ed25519).
   */
  readonly certificateHash: Buffer | null
  /**
   * When SCRAM uses the certificate's hash: never (`disable`), if the server offers it (`prefer`), or always
   * (`require`). `require` also refuses every other method.
   */
  readonly channelBinding: 'disable' | 'prefer' | 'require'
}

const REQUEST = { ok: 0, cleartext: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const
const KIND_BYTES = 4
const METHOD_NAMES: Readonly<Record<number, string>> = { 2: 'Kerberos V5', 6: 'SCM', 7: 'GSSAPI', 9: 'SSPI' }

/**
 * The message that the client expects next. An honest server never changes the method, and sends no step of SCRAM
 * twice.
 */
type Awaited = 'method' | 'scram challenge' | 'scram proof' | 'acceptance'

/** The client's side of one authentication. Pass the body of each Authentication message to `respond`. */
export class Authentication {
  readonly #options: AuthenticationOptions
  #scram: ScramExchange | null = null
  #awaited: Awaited = 'method'
  /** Whether the server has accepted the client. With SCRAM, the server has also proved that it knows the password. */
  isAccepted = false

  constructor(options: AuthenticationOptions) {
    this.#options = options
  }

  /**
   * Returns the response to an Authentication message with this body; null if there is nothing to send.
   *
   * Throws or rejects with `PostgresConnectionError`:
   * - `EAUTH`, if the method is unsupported, unsafe on this connection, or lacks channel binding although the URL has
   *   `channel_binding=require`.
   * - `EAUTH`, if the server needs a password that the URL lacks, requests too many SCRAM iterations, or doesn't prove
   *   that it knows the password.
   * - `EPROTO`, for a message that is invalid or out of order.
   */
  respond(body: Buffer): Buffer | Promise<Buffer> | null {
    if (body.length < KIND_BYTES) throw protocolError('an authentication request that is cut off')
    const kind = body.readInt32BE(0)
    const data = body.subarray(KIND_BYTES)
    switch (kind) {
      case REQUEST.ok:
        return this.#accept()
      case REQUEST.cleartext:
        this.#advance('method', 'acceptance')
        return this.#cleartext()
      case REQUEST.md5:
        this.#advance('method', 'acceptance')
        return this.#md5(data)
      case REQUEST.sasl:
        this.#advance('method', 'scram challenge')
        return this.#beginScram(data.toString('utf8').split('\0'))
      case REQUEST.saslContinue:
        this.#advance('scram challenge', 'scram proof')
        return this.#exchange().final(data.toString('utf8'))
      case REQUEST.saslFinal:
        this.#advance('scram proof', 'acceptance')
        this.#exchange().verify(data.toString('utf8'))
        return null
      default:
        throw refused(`${METHOD_NAMES[kind] ?? `method ${kind}`}, which this client does not support`)
    }
  }

  #advance(from: Awaited, to: Awaited): void {
    if (this.#awaited !== from) throw protocolError('an authentication request out of order')
    this.#awaited = to
  }

  #accept(): null {
    const isUnproved = this.#scram !== null && !this.#scram.isVerified
    if (isUnproved) throw authenticationError(UNPROVED)
    this.#requireBinding()
    this.isAccepted = true
    return null
  }

  /**
   * Returns the response for MD5. Throws if `channel_binding=require`: MD5 proves nothing about the TLS channel, and an
   * attacker who relays the connection could find the password from the hash.
   */
  #md5(salt: Buffer): Buffer {
    this.#requireBinding()
    return terminated(`md5${md5(md5(this.#password(), this.#options.user), salt.subarray(0, 4))}`)
  }

  /** Returns the password. Throws on an unencrypted connection, and if `channel_binding=require`. */
  #cleartext(): Buffer {
    this.#requireBinding()
    const advice = 'add sslmode=require to the connection URL'
    if (!this.#options.isPrivate) throw refused(`the password in clear text over an unencrypted connection; ${advice}`)
    return terminated(this.#password())
  }

  #beginScram(offered: readonly string[]): Buffer {
    const { certificateHash, channelBinding } = this.#options
    const canBind = certificateHash !== null && channelBinding !== 'disable'
    const binds = canBind && offered.includes('SCRAM-SHA-256-PLUS')
    if (!binds && !offered.includes('SCRAM-SHA-256'))
      throw refused(`${offered.join(' ')}, which this client does not support`)
    const options = { password: this.#password(), certificateHash: binds ? certificateHash : null, couldBind: canBind }
    const scram = new ScramExchange(options)
    this.#scram = scram
    this.#requireBinding()
    const first = Buffer.from(scram.first())
    const length = Buffer.alloc(4)
    length.writeInt32BE(first.length)
    return Buffer.concat([terminated(scram.mechanism), length, first])
  }

  #requireBinding(): void {
    const isBound = this.#scram?.mechanism === 'SCRAM-SHA-256-PLUS'
    if (this.#options.channelBinding === 'require' && !isBound)
      throw authenticationError('the server offers no channel binding, although channel_binding=require demands it')
  }

  #exchange(): ScramExchange {
    if (this.#scram === null) throw protocolError('a step of SCRAM without its start')
    return this.#scram
  }

  #password(): string {
    const { password, user } = this.#options
    if (password === null) throw refused(`the password of role "${user}", but none is set`)
    return password
  }
}

function refused(what: string): PostgresConnectionError {
  return authenticationError(`the server requests ${what}`)
}

function md5(text: string, salt: string | Buffer): string {
  return createHash('md5').update(text).update(salt).digest('hex')
}

function terminated(text: string): Buffer {
  return Buffer.from(`${text}\0`)
}
