// Bounds the memory of pages that clients have not read yet. The service checks the space in the response buffer twice:
//
// - Before it reads the store. A client that doesn't read its responses then costs no query.
// - When the page exists, because several requests can pass the first check at the same time.
//
// If the client disconnects during the read of the store, the read is aborted.

import type { ServerResponse } from 'node:http'
import type { ApiRequest } from './api-request.ts'
import type { ApiResponse } from './api-response.ts'
import type { OpenResponses } from './open-responses.ts'
import { handleRequest, type Pipeline, type Trace } from './pipeline.ts'

/** What the service needs to create one response. */
export interface ResponseContext {
  readonly response: ServerResponse
  readonly trace: Trace
  readonly pipeline: Pipeline
  readonly openResponses: OpenResponses
}

/** Thrown if the client closes its connection before the response exists. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected'
}

/**
 * Returns the response to a request. The memory of its body, including unused bytes, counts against the response buffer
 * until the response is closed. Rejects with `ClientDisconnected` if the client disconnects during the read, and like
 * `handleRequest` and `OpenResponses.addBytes`.
 */
export async function bufferedResponse(request: ApiRequest, context: ResponseContext): Promise<ApiResponse> {
  const { response, trace, pipeline, openResponses } = context
  // The pipeline sets the key ID before it reads the store.
  const keyId = () => trace.keyId ?? ''
  const disconnection = new AbortController()
  const { signal } = disconnection
  let isRead = false
  openResponses.whenClosed(response, () => isRead || disconnection.abort(new ClientDisconnected()))
  const reader: Pipeline['reader'] = {
    readFirst: async (request) => {
      openResponses.requireSpace(keyId())
      return pipeline.reader.readFirst({ ...request, signal })
    },
    read: async (request) => {
      openResponses.requireSpace(keyId())
      return pipeline.reader.read({ ...request, signal })
    },
    // This check reads no page, so it needs no space.
    exists: (request) => pipeline.reader.exists({ ...request, signal }),
  }
  const result = withoutSpareMemory(await handleRequest(request, { ...pipeline, reader }, trace))
  isRead = true
  try {
    openResponses.addBytes(response, keyId(), result.body.buffer.byteLength)
    return result
  } catch (error) {
    result.release?.()
    throw error
  }
}

/**
 * Minimum memory of a page to copy. Most smaller pages use reused memory (page-memory.ts). For the others, a copy would
 * save less than 0.5 MiB.
 */
const COPIED_BYTES_MIN = 1_048_576

/**
 * Copies a large page to memory of its exact size if a fifth of its memory or more is unused. The memory grew by
 * doubling, so up to half of it can be unused.
 */
function withoutSpareMemory(result: ApiResponse): ApiResponse {
  const { release, body, ...rest } = result
  const { byteLength } = body.buffer
  if (byteLength < COPIED_BYTES_MIN || byteLength < body.length * 1.25) return result
  const exact = Buffer.allocUnsafeSlow(body.length)
  body.copy(exact)
  release?.()
  return { ...rest, body: exact }
}
