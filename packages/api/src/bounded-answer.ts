// An answer of the pipeline within the bounds on what clients have not read: asked before the store is read, and again
// when the page is there, since several may have been read at once.

import type { ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import type { OpenAnswers } from './open-answers.ts'
import { answerRequest, type Pipeline, type Trace } from './pipeline.ts'
import type { ApiRequest } from './request.ts'

/** What an answer is made with. */
export interface Bounded {
  readonly response: ServerResponse
  readonly trace: Trace
  readonly pipeline: Pipeline
  readonly answers: OpenAnswers
}

/** The client closed its connection before it had an answer. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

/** The answer, its bytes held until the response is closed. Throws as `answerRequest` and `OpenAnswers.hold` do, and `ClientLeft`. */
export async function boundedAnswer(request: ApiRequest, bounded: Bounded): Promise<Answer> {
  const { response, trace, pipeline, answers } = bounded
  // Known once the key is admitted, which comes before every read.
  const keyId = () => trace.keyId ?? ''
  const leaving = new AbortController()
  const { signal } = leaving
  let isMade = false
  answers.whenClosed(response, () => isMade || leaving.abort(new ClientLeft()))
  const reader: Pipeline['reader'] = {
    readFirst: async (reading) => {
      answers.requireRoom(keyId())
      return pipeline.reader.readFirst({ ...reading, signal })
    },
    read: async (reading) => {
      answers.requireRoom(keyId())
      return pipeline.reader.read({ ...reading, signal })
    },
    exists: (reading) => pipeline.reader.exists({ ...reading, signal }),
  }
  const answer = withoutSlack(await answerRequest(request, { ...pipeline, reader }, trace))
  isMade = true
  try {
    answers.hold(response, keyId(), answer.body.buffer.byteLength)
    return answer
  } catch (error) {
    answer.release?.()
    throw error
  }
}

/** Memory of smaller pages is used again as it is. */
const SLACK_MATTERS_BYTES = 1_048_576

/** A large page grows by doubling: up to half of its memory is empty, and would wait with it. */
function withoutSlack(answer: Answer): Answer {
  const { release, body, ...rest } = answer
  const { byteLength } = body.buffer
  if (byteLength < SLACK_MATTERS_BYTES || byteLength < body.length * 1.25) return answer
  const exact = Buffer.allocUnsafeSlow(body.length)
  body.copy(exact)
  release?.()
  return { ...rest, body: exact }
}
