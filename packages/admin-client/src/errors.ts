// The errors of the client: a response with a problem, or no complete response.

import type { Problem } from './generated/admin-methods.ts'

/** Thrown for a response with a problem. The message has the detail, and each error of a field. */
export class AdminApiError extends Error {
  override readonly name = 'AdminApiError'
  readonly status: number
  readonly problem: Problem
  /** Name of the problem, such as `unknown-store`. The documentation lists all names. */
  readonly code: string
  /** ID of the request in the log of the service; null if the response has none, and for a line of a batch. */
  readonly requestId: string | null

  constructor(problem: Problem, requestId: string | null) {
    const fields = (problem.errors ?? []).map(({ field, message }) => `; ${field}: ${message}`).join('')
    super(`${problem.detail}${fields}`)
    this.status = problem.status
    this.problem = problem
    this.code = problem.type.slice(problem.type.lastIndexOf('#') + 1)
    this.requestId = requestId
  }
}

/** Thrown if the service could not be reached, or sent no complete response. */
export class AdminConnectionError extends Error {
  override readonly name = 'AdminConnectionError'
}
