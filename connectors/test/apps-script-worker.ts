// Runs one function of an Apps Script. It needs its own thread, because Google's functions are synchronous: a request of the
// script blocks this thread until the main thread has the response.

import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type Execution, execute, type FetchedResponse, type GoogleState } from './google-services.ts'

/** What the main thread gives a worker. */
export interface WorkerInput {
  readonly execution: Execution
  readonly state: GoogleState
  readonly port: MessagePort
  /** One number, which the main thread raises with each response. */
  readonly responses: Int32Array
}

/** The main thread's reply to a request. */
export type Reply = FetchedResponse | { readonly error: string }

const { execution, state, port, responses } = workerData as WorkerInput

port.postMessage({ result: execute(execution, state, fetchNow) })

function fetchNow(url: string, headers: Readonly<Record<string, string>>): FetchedResponse {
  const seen = Atomics.load(responses, 0)
  port.postMessage({ url, headers })
  Atomics.wait(responses, 0, seen)
  const reply = receiveMessageOnPort(port)?.message as Reply
  if ('error' in reply) throw new Error(reply.error)
  return reply
}
