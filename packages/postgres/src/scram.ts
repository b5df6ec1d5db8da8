// Implements the client of SCRAM-SHA-256 and SCRAM-SHA-256-PLUS: RFC 5802, RFC 7677, RFC 5929.

import { createHmac, createSecretKey, hash, type KeyObject, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { authenticationError, type PostgresConnectionError, protocolError } from './errors.ts'

/** Message of the error for a server that sends no valid signature. */
export const UNPROVED = 'the server did not prove that it knows the password'

/** The password, and whether the exchange is bound to the TLS channel. */
export interface ScramOptions {
  readonly password: string
  /** Hash of the server's certificate; null without SCRAM-SHA-256-PLUS. */
  readonly certificateHash: Buffer | null
  /**
   * Whether the client could bind the channel. The client reports this, so that the server can detect a downgrade
   * attack.
   */
  readonly couldBind: boolean
}

const KEY_BYTES = 32
const NONCE_BYTES = 18
/**
 * Maximum number of iterations that the client accepts, because a malicious server could request a long calculation.
 * PostgreSQL's default is 4,096.
 */
const ITERATIONS_MAX = 1_000_000
/** Maximum number of roles whose keys are cached. The keys that were used least recently are dropped. */
const CACHED_MAX = 20_000
const derive = promisify(pbkdf2)

/**
 * Derived keys by password, salt, and iterations. A derivation takes thousands of iterations (4,096 by default), and a
 * node connects to the same stores often. An entry is found by a hash, so that the map contains no password.
 */
const cache = new Map<string, Awaited<ReturnType<typeof deriveKeys>>>()

/** One authentication. Call `first`, `final`, and `verify` in this order. */
export class ScramExchange {
  readonly #options: ScramOptions
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64')
  readonly #header: string
  #serverSignature: Buffer | null = null
  /** Whether the server has proved that it knows the password. */
  isVerified = false

  constructor(options: ScramOptions) {
    this.#options = options
    const { certificateHash, couldBind } = options
    this.#header = certificateHash !== null ? 'p=tls-server-end-point,,' : couldBind ? 'y,,' : 'n,,'
  }

  /** Name of the SASL mechanism that the client selects. `PLUS` binds the exchange to the TLS channel. */
  get mechanism(): 'SCRAM-SHA-256' | 'SCRAM-SHA-256-PLUS' {
    return this.#options.certificateHash === null ? 'SCRAM-SHA-256' : 'SCRAM-SHA-256-PLUS'
  }

  /** Returns the first message, without a role name, because the startup message contains it. */
  first(): string {
    return this.#header + this.#firstBare
  }

  /**
   * Returns the client's final message, with its proof, in response to the server's first message. Rejects with
   * `PostgresConnectionError` if that message is invalid, or requests more than 1,000,000 iterations.
   */
  async final(serverFirst: string): Promise<Buffer> {
    const { nonce, salt, iterations } = readServerFirst(serverFirst)
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce) throw invalid('a nonce that does not extend its own')
    const binding = Buffer.concat([Buffer.from(this.#header), this.#options.certificateHash ?? Buffer.alloc(0)])
    const withoutProof = `c=${binding.toString('base64')},r=${nonce}`
    const { clientKey, storedKey, serverKey } = await keysOf(this.#options.password, salt, iterations)
    const message = `${this.#firstBare},${serverFirst},${withoutProof}`
    const signature = hmac(storedKey, message)
    this.#serverSignature = hmac(serverKey, message)
    return Buffer.from(`${withoutProof},p=${xor(clientKey, signature).toString('base64')}`)
  }

  /** Throws `PostgresConnectionError` unless the server's final message proves that it knows the password. */
  verify(serverFinal: string): void {
    const sent = Buffer.from(/^v=([^,]+)/.exec(serverFinal)?.[1] ?? '', 'base64')
    const expected = this.#serverSignature
    if (expected === null || sent.length !== expected.length || !timingSafeEqual(sent, expected))
      throw authenticationError(UNPROVED)
    this.isVerified = true
  }

  get #firstBare(): string {
    return `n=,r=${this.#nonce}`
  }
}

function readServerFirst(message: string): { nonce: string; salt: Buffer; iterations: number } {
  const [, nonce, salt, count] = /^r=([!-+\--~]+),s=([A-Za-z0-9+/=]+),i=([1-9]\d{0,9})(?:,|$)/.exec(message) ?? []
  if (nonce === undefined || salt === undefined) throw invalid('a first message that cannot be read')
  const iterations = Number(count)
  if (iterations > ITERATIONS_MAX)
    throw authenticationError(`the server requests ${iterations} SCRAM iterations; the maximum is ${ITERATIONS_MAX}`)
  return { nonce, salt: Buffer.from(salt, 'base64'), iterations }
}

/**
 * Returns the keys from the cache, or derives them. Moves them to the end of the cache, whose first entry is dropped.
 */
async function keysOf(password: string, salt: Buffer, iterations: number): ReturnType<typeof deriveKeys> {
  const name = hash('sha256', `${iterations} ${salt.toString('base64')} ${password}`, 'base64')
  const known = cache.get(name)
  const keys = known ?? (await deriveKeys(password, salt, iterations))
  cache.delete(name)
  cache.set(name, keys)
  const [oldest = ''] = cache.keys()
  if (cache.size > CACHED_MAX) cache.delete(oldest)
  return keys
}

async function deriveKeys(password: string, salt: Buffer, iterations: number) {
  const salted = await derive(normalized(password), salt, iterations, KEY_BYTES, 'sha256')
  const clientKey = hmac(salted, 'Client Key')
  // A KeyObject, because an HMAC with the bytes of a key takes Node.js five times as long.
  const storedKey = createSecretKey(hash('sha256', clientKey, 'buffer'))
  return { clientKey, storedKey, serverKey: createSecretKey(hmac(salted, 'Server Key')) }
}

/**
 * Applies SASLprep (RFC 4013): Unicode spaces become ASCII spaces, invisible characters are removed, and NFKC applies.
 */
function normalized(password: string): string {
  // PostgreSQL leaves a password unchanged if SASLprep forbids a character. This check is an approximation: it treats
  // all characters above U+FFFF as forbidden, and characters assigned since Unicode 3.2 as allowed.
  if (/^[\x20-\x7e]*$|[\p{Cc}\p{Co}\p{Cn}\u{10000}-\u{10ffff}]/u.test(password)) return password
  return password
    .replace(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g, ' ')
    .replace(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
    .normalize('NFKC')
}

function hmac(key: Buffer | KeyObject, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest()
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] as number)))
}

function invalid(what: string): PostgresConnectionError {
  return protocolError(`${what} (SCRAM)`)
}
