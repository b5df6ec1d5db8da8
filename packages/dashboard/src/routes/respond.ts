// Turns the result of a handler into a response. It compresses pages, and forbids browsers to store responses. Without
// `no-store`, the browser could show a page again after the sign-out.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { DashboardRequest, HandlerResult } from './dashboard-request.ts'

const NO_STORE = 'no-store'
const SEE_OTHER = 303
/** Pages with fewer bytes are sent uncompressed, because compression would save little. */
const SMALL_BYTES = 1000

/**
 * Returns the response with `cookies` and the cookies of the result. A handler that returns a `Response` sets its own
 * headers, so it is returned unchanged, without `no-store` and `cookies`.
 */
export async function respond(
  request: DashboardRequest,
  result: HandlerResult,
  cookies: readonly string[],
): Promise<Response> {
  if (result instanceof Response) return result
  const headers = new Headers({ 'cache-control': NO_STORE, 'x-request-id': request.requestId })
  for (const cookie of [...cookies, ...(result.cookies ?? [])]) headers.append('set-cookie', cookie)
  if ('to' in result) {
    headers.set('location', result.to)
    return new Response(null, { status: SEE_OTHER, headers })
  }
  if ('json' in result) {
    headers.set('content-type', 'application/json')
    return new Response(JSON.stringify(result.json), { status: result.status ?? 200, headers })
  }
  headers.set('content-type', 'text/html; charset=utf-8')
  const body = Buffer.from(String(await result.html))
  const encoding = chooseEncoding(request.context.req.header('accept-encoding') ?? '', body.length)
  if (encoding !== null) headers.set('content-encoding', encoding)
  headers.set('content-language', request.language)
  headers.set('vary', 'accept-encoding, accept-language, cookie')
  return new Response(await encode(body, encoding), { status: result.status ?? 200, headers })
}

/**
 * Returns the encoding for a body of `bytes`: Brotli if the Accept-Encoding header allows it, otherwise gzip. Null for
 * no compression. Ignores `*`.
 */
export function chooseEncoding(accepted: string, bytes: number): 'br' | 'gzip' | null {
  if (bytes < SMALL_BYTES) return null
  const names = accepted.split(',').flatMap((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name]
  })
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : null
}

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)

async function encode(body: Buffer, encoding: 'br' | 'gzip' | null): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === null) return new Uint8Array(body)
  // The default, 11, is for files that are compressed once. It takes far longer.
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
  return new Uint8Array(encoding === 'br' ? await asBrotli(body, quality) : await asGzip(body))
}
