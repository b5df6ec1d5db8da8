// Reads the bodies of requests, up to a limit.

import { Problem } from './problems.ts'
import { invalidRequest } from './validate.ts'

/** Returns the bytes of the body. Rejects with `Problem` if it has more than `bytesMax` bytes, or is incomplete. */
export async function readBody(request: Request, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new Problem('body-too-large', `the body must have at most ${bytesMax} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    // The client has left, so only the log and the metrics get this response.
    throw invalidRequest([{ field: 'body', message: 'incomplete; the connection closed' }])
  }
  return Buffer.concat(chunks)
}

/** Throws `Problem` unless `Content-Type` names `mediaType`. Ignores its parameters, such as `charset`. */
export function requireMediaType(request: Request, mediaType: string): void {
  const sent = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (sent === mediaType) return
  const got = sent === '' ? 'none' : JSON.stringify(sent.slice(0, 60))
  throw new Problem('unsupported-media-type', `Content-Type: must be ${mediaType}; got ${got}`)
}
