// Runs functions of an Apps Script. It needs its own thread, because Google's functions are synchronous: a request of
// the script blocks this thread until the main thread has the response.

import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import {
  type Execution,
  type ExecutionResult,
  execute,
  type FetchedResponse,
  type GoogleState,
} from './google-services.ts'

interface WorkerInput {
  readonly port: MessagePort
  /** One number, which the main thread raises with each response. */
  readonly responses: Int32Array
}

/** A request of the script, or the result of an execution. */
export type FromWorker =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly result: ExecutionResult }

/** The main thread's reply to a request. */
export type Reply = FetchedResponse | { readonly error: string }

const { port, responses } = workerData as WorkerInput

port.on('message', ({ execution, state }: { readonly execution: Execution; readonly state: GoogleState }) => {
  port.postMessage({ result: execute(execution, state, fetchNow) })
})

function fetchNow(url: string, headers: Readonly<Record<string, string>>): FetchedResponse {
  const seen = Atomics.load(responses, 0)
  port.postMessage({ url, headers })
  Atomics.wait(responses, 0, seen)
  const reply = receiveMessageOnPort(port)?.message as Reply
  if ('error' in reply) throw new Error(reply.error)
  return reply
}
