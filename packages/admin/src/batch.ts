// Creates many stores in one request. Each line is a store, and each line of the response is a store or a problem, in
// the order of the request. A failed line doesn't stop the others.

import type * as z from 'zod'
import { type CreatingContext, createStore } from './create-store.ts'
import { Problem } from './problems.ts'
import { type batchResult, newStore } from './schemas.ts'
import type { AdminServices } from './services.ts'
import { translateError } from './translate-error.ts'
import { validateJson } from './validate.ts'

/** Maximum number of lines of a batch. */
export const BATCH_LINES_MAX = 1000
/** Number of lines that are processed at the same time. Each waits for the control database most of the time. */
const LINES_AT_ONCE = 8

/** The result of a line. */
export type BatchResult = z.input<typeof batchResult>

/**
 * Returns the lines of a body without empty ones. `number` is the number of a line in the body, from 1. Throws
 * `Problem` if there are no lines, or more than `BATCH_LINES_MAX`.
 */
export function linesOf(body: Buffer): { readonly number: number; readonly bytes: Uint8Array }[] {
  // Latin-1 keeps every byte, so a line that is not UTF-8 doesn't change the others.
  const lines = body
    .toString('latin1')
    .split('\n')
    .map((line, index) => ({ number: index + 1, line }))
    .filter(({ line }) => !/^[ \t\r]*$/.test(line))
    .map(({ number, line }) => ({ number, bytes: Buffer.from(line, 'latin1') }))
  if (lines.length >= 1 && lines.length <= BATCH_LINES_MAX) return lines
  const message = `must have 1 to ${BATCH_LINES_MAX} lines; got ${lines.length}`
  throw new Problem('invalid-request', message, { errors: [{ field: 'body', message }] })
}

/**
 * Creates the stores of the lines, and yields the results in the order of the lines. Never rejects: an error becomes
 * the problem of its line, and `onError` also gets unexpected errors. Work for later lines starts only while results
 * are read.
 */
export async function* createStores(
  services: AdminServices,
  context: CreatingContext,
  lines: ReturnType<typeof linesOf>,
  onError: (cause: unknown) => void,
): AsyncGenerator<BatchResult> {
  const started: Promise<BatchResult>[] = []
  const start = () => {
    const line = lines[started.length]
    if (line !== undefined) started.push(resultOf(services, context, line, onError))
  }
  for (let count = 0; count < LINES_AT_ONCE; count++) start()
  for (let index = 0; index < lines.length; index++) {
    const result = await started[index]
    start()
    if (result !== undefined) yield result
  }
}

async function resultOf(
  services: AdminServices,
  context: CreatingContext,
  { number, bytes }: ReturnType<typeof linesOf>[number],
  onError: (cause: unknown) => void,
): Promise<BatchResult> {
  try {
    if (services.background.isEnding)
      throw new Problem('node-stopping', 'the node stops; send the line again, to another node or later')
    const { status, body } = await createStore(services, context, validateJson(newStore, bytes))
    return { line: number, status, store: body }
  } catch (error) {
    const { problem, status, document, cause } = translateError(error, services.operations)
    if (problem === 'internal-error') onError(cause)
    const { errors, ...rest } = document
    return { line: number, status, problem: errors === undefined ? rest : { ...rest, errors: [...errors] } }
  }
}
