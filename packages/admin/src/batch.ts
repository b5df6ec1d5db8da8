// Runs a route for many lines in one request. Each line has the parameters and the body of a single request. Its result
// is a line of the response, with the body of the single response or a problem. Results are in the order of the
// request. A failed line doesn't stop the others.

import * as z from 'zod'
import { Problem } from './problems.ts'
import type { BatchDescription, RequestContext, Route } from './route.ts'
import { problem } from './schemas.ts'
import type { AdminServices } from './services.ts'
import { translateError } from './translate-error.ts'
import { validateJson } from './validate.ts'

/** Maximum number of lines of a batch. */
export const BATCH_LINES_MAX = 1000
/** Number of lines that are processed at the same time. Each waits for the control database most of the time. */
const LINES_AT_ONCE = 8

/** A batch, with the schemas of its lines and of their results. */
export interface Batch extends BatchDescription {
  readonly route: Route
  readonly line: z.ZodType
  readonly result: z.ZodType
}

/** The result of a line: `store` is the body of the single response. */
export interface BatchResult {
  readonly line: number
  readonly status: number
  readonly store?: unknown
  readonly problem?: z.input<typeof problem>
}

/** Returns the batch of a route. */
export function batchOf(route: Route, batch: BatchDescription): Batch {
  const name = `${batch.id.charAt(0).toUpperCase()}${batch.id.slice(1)}`
  const result = z
    .object({
      line: z.int().meta({ description: 'Number of the line in the request, from 1.' }),
      status: z.int(),
      // Every success of a route has the same body.
      store: Object.values(route.responses)[0]?.optional() ?? z.undefined(),
      problem: problem.optional(),
    })
    .meta({ id: `${name}Result`, description: `The result of a line of \`${batch.id}\`: \`store\` or \`problem\`.` })
  return { ...batch, route, line: lineOf(route, batch, `${name}Line`), result }
}

/** Returns the schema of a line: the parameters of the path and the members of the body, in one object. */
function lineOf({ params, body }: Route, { id }: BatchDescription, name: string): z.ZodType {
  if (Object.keys(params.shape).length === 0) return body
  const line = body instanceof z.ZodObject ? body.safeExtend(params.shape) : params
  return line.meta({ id: name, description: `A line of \`${id}\`.` })
}

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

/** What the lines of a batch share. */
export interface BatchOptions {
  readonly services: AdminServices
  readonly context: RequestContext
  /** Gets each unexpected error. */
  readonly onError: (cause: unknown) => void
}

/**
 * Runs the lines, and yields the results in the order of the lines. Never rejects: an error becomes the problem of its
 * line.
 */
export async function* runBatch(
  batch: Batch,
  lines: ReturnType<typeof linesOf>,
  { services, ...options }: BatchOptions,
): AsyncGenerator<BatchResult> {
  // The lines of a batch can wait for a permit as long as they need. Single operations don't wait behind all of them.
  const own = { ...options, services: { ...services, limiter: services.limiter.forBatches() } }
  const results = lines.map(() => Promise.withResolvers<BatchResult>())
  const remaining = lines.entries()
  const work = async () => {
    for (const [index, line] of remaining) results[index]?.resolve(await resultOf(batch, line, own))
  }
  for (let count = 0; count < LINES_AT_ONCE; count++) void work()
  for (const { promise } of results) yield await promise
}

async function resultOf(
  { route, line }: Batch,
  { number, bytes }: ReturnType<typeof linesOf>[number],
  { services, context, onError }: BatchOptions,
): Promise<BatchResult> {
  try {
    if (services.background.isEnding)
      throw new Problem('node-stopping', 'the node stops; send the line again, to another node or later')
    const members = Object.entries(validateJson(line, bytes) as object)
    const isParameter = ([name]: [string, unknown]) => name in route.params.shape
    const params = Object.fromEntries(members.filter(isParameter))
    const body = Object.fromEntries(members.filter((member) => !isParameter(member)))
    const response = await route.handle({ services, context, params, query: {}, body })
    return { line: number, status: response.status, store: response.body }
  } catch (error) {
    const { problem, status, document, cause } = translateError(error, services.operations)
    if (problem === 'internal-error') onError(cause)
    const { errors, ...rest } = document
    return { line: number, status, problem: errors === undefined ? rest : { ...rest, errors: [...errors] } }
  }
}
