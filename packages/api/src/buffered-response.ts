// An result of the pipeline within the bounds on what clients have not read: asked before the store is read, and again
// when the page is there, since several may have been read at once.

import type { ServerResponse } from 'node:http'
import type { ApiRequest } from './api-request.ts'
import type { ApiResponse } from './api-response.ts'
import type { OpenResponses } from './open-responses.ts'
import { handleRequest, type Pipeline, type Trace } from './pipeline.ts'

/** What an result is made with. */
export interface ResponseContext {
  readonly response: ServerResponse
  readonly trace: Trace
  readonly pipeline: Pipeline
  readonly openResponses: OpenResponses
}

/** The client closed its connection before it had an result. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected'
}

/** The result, its bytes held until the response is closed. Throws as `answerRequest` and `OpenAnswers.hold` do, and `ClientLeft`. */
export async function bufferedResponse(request: ApiRequest, bounded: ResponseContext): Promise<ApiResponse> {
  const { response, trace, pipeline, openResponses } = bounded
  // Known once the key is admitted, which comes before every read.
  const keyId = () => trace.keyId ?? ''
  const leaving = new AbortController()
  const { signal } = leaving
  let isMade = false
  openResponses.whenClosed(response, () => isMade || leaving.abort(new ClientDisconnected()))
  const reader: Pipeline['reader'] = {
    readFirst: async (reading) => {
      openResponses.requireRoom(keyId())
      return pipeline.reader.readFirst({ ...reading, signal })
    },
    read: async (reading) => {
      openResponses.requireRoom(keyId())
      return pipeline.reader.read({ ...reading, signal })
    },
    exists: (reading) => pipeline.reader.exists({ ...reading, signal }),
  }
  const result = withoutSpareMemory(await handleRequest(request, { ...pipeline, reader }, trace))
  isMade = true
  try {
    openResponses.addBytes(response, keyId(), result.body.buffer.byteLength)
    return result
  } catch (error) {
    result.release?.()
    throw error
  }
}

/** Memory of smaller pages is used again as it is. */
const COPIED_BYTES_MIN = 1_048_576

/** A large page grows by doubling: up to half of its memory is empty, and would wait with it. */
function withoutSpareMemory(result: ApiResponse): ApiResponse {
  const { release, body, ...rest } = result
  const { byteLength } = body.buffer
  if (byteLength < COPIED_BYTES_MIN || byteLength < body.length * 1.25) return result
  const exact = Buffer.allocUnsafeSlow(body.length)
  body.copy(exact)
  release?.()
  return { ...rest, body: exact }
}
