// Receives reports of keys and directory tokens that a secret scanner found in public, and has them revoked. The
// reports have the form of GitHub's secret scanning. Each step needs the result of the previous one, and a sender
// without a valid signature learns nothing about keys or tokens:
//
// - 404 if the operator configured no public keys. 405 for a method other than POST.
// - 403 if the headers name no configured public key, or have no signature.
// - 400, 408, 413, or 429 if the body can't be read (read-body.ts).
// - 403 if the signature is not valid for the whole body.
// - 400 if the body is not a report. The service then revokes nothing.
// - 200 with a label for each reported token, after the keys and directory tokens are revoked.
//
// A repeated report changes nothing. See docs/contribute/decisions/077-accept-leak-reports-of-secret-scanners.md.

import { hash, type KeyObject, verify } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { ApiError } from '@store-export/contract'
import { hashApiKey, type LeakedKey, parseApiKey, type Revocations } from '@store-export/control'
import { type ApiResponse, jsonResponse } from '../api-response.ts'
import type { LeakReportRejected, RequestEventHandler } from '../request-event.ts'
import { BodyReader } from './read-body.ts'
import { parseReport, type ReportedToken } from './reported-token.ts'

/** Path of the endpoint. It is outside of `/api/v1`, because it reads no store. */
export const LEAK_REPORTS_PATH = '/leak-reports'

/** The scanners' public keys, and the revocation of keys and directory tokens. */
export interface LeakReportOptions {
  /** Returns the public key with this identifier; null if none is configured. */
  readonly publicKeyOf: (identifier: string) => Promise<KeyObject | null>
  /**
   * Revokes the active keys and directory tokens among `keys`. Rejects with `ControlDatabaseError` if the control
   * database fails.
   */
  readonly revoke: (keys: readonly LeakedKey[]) => Promise<Revocations>
}

/** A request to the endpoint. */
export interface LeakReportRequest {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
}

/** The endpoint for leak reports on one node. */
export class LeakReportEndpoint {
  readonly #options: LeakReportOptions | null
  readonly #requestTimeoutMs: number
  readonly #emit: RequestEventHandler
  readonly #bodies = new BodyReader()

  /** With `options` null, each request gets 404. A body must arrive within `requestTimeoutMs`. */
  constructor(options: LeakReportOptions | null, requestTimeoutMs: number, emit: RequestEventHandler) {
    this.#options = options
    this.#requestTimeoutMs = requestTimeoutMs
    this.#emit = emit
  }

  /**
   * Revokes the keys and directory tokens of a report, emits `leak_report.accepted`, and returns the response. Emits
   * `leak_report.rejected` before it rejects with status 403. Rejects with `ApiError` for each error that the file
   * header lists. Rejects with `ClientDisconnected` if the connection closes, and with `ControlDatabaseError` if
   * `revoke` fails.
   */
  async respond(request: LeakReportRequest): Promise<ApiResponse> {
    const { message, response, requestId } = request
    const options = this.#options
    if (options === null) throw new ApiError('NOT_FOUND', 'no such path; this service accepts no leak reports')
    if (message.method !== 'POST')
      throw new ApiError('NOT_FOUND', 'this path accepts only leak reports; use POST', {
        status: 405,
        headers: { allow: 'POST' },
      })
    const publicKey = await options.publicKeyOf(headerOf(message, 'github-public-key-identifier'))
    if (publicKey === null) throw this.#rejected(requestId, 'unknown_key')
    const signature = headerOf(message, 'github-public-key-signature')
    if (!SIGNATURE.test(signature)) throw this.#rejected(requestId, 'wrong_signature')
    // After `Expect: 100-continue`, the client waits for status 100 before it sends the body.
    if (message.headers.expect !== undefined) response.writeContinue()
    return await this.#bodies.use(message, this.#requestTimeoutMs, async (body) => {
      if (!(await isSignedBy(publicKey, body, signature))) throw this.#rejected(requestId, 'wrong_signature')
      const tokens = parseReport(body)
      const leaked = leakedKeys(tokens)
      const { known, revoked } = await options.revoke([...leaked.values()])
      this.#emit({
        event: 'leak_report.accepted',
        ...{ requestId, tokens: tokens.length, knownKeys: known.size, revokedKeys: revoked },
      })
      return jsonResponse(200, Buffer.from(JSON.stringify(tokens.map((token) => feedbackOf(token, known)))), 0)
    })
  }

  #rejected(requestId: string, reason: LeakReportRejected['reason']): ApiError {
    this.#emit({ event: 'leak_report.rejected', requestId, reason })
    return new ApiError('INVALID_PARAM', 'the report has no valid signature of a configured public key', {
      status: 403,
    })
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/**
 * A signature in base64. A signature of P-256 has at most 72 bytes. A repeated header has a comma, so it doesn't match.
 */
const SIGNATURE = /^[0-9A-Za-z+/]{1,96}={0,2}$/

const verifyInPool = promisify<string, Buffer, KeyObject, Buffer, boolean>(verify)

/** Whether `signature` (base64 of DER) is valid for the body. False for bytes that are not a signature. */
async function isSignedBy(publicKey: KeyObject, body: Buffer, signature: string): Promise<boolean> {
  return await verifyInPool('sha256', body, publicKey, Buffer.from(signature, 'base64')).catch(() => false)
}

/**
 * Returns the tokens that have the form of a key, each once, by their hash in hexadecimal. Directory tokens have this
 * form, too.
 */
function leakedKeys(tokens: readonly ReportedToken[]): Map<string, LeakedKey> {
  const leaked = new Map<string, LeakedKey>()
  for (const { token, url, source } of tokens) {
    const key = parseApiKey(token)
    if (key === null) continue
    const keyHash = hashApiKey(key)
    const text = keyHash.bytes.toString('hex')
    if (!leaked.has(text)) leaked.set(text, { hash: keyHash, url, source })
  }
  return leaked
}

/**
 * Returns the scanner's feedback about a token: `true_positive` if the token exists, also if it was revoked before.
 * Contains its hash instead of the token, so that no response contains a key.
 */
function feedbackOf({ token, type }: ReportedToken, known: ReadonlySet<string>) {
  // The same hash as that of `hashApiKey`, because `known` has those hashes.
  const tokenHash = hash('sha256', token)
  return { token_hash: tokenHash, token_type: type, label: known.has(tokenHash) ? 'true_positive' : 'false_positive' }
}
