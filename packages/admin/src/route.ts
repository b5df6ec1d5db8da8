// Declares what a route consists of. One declaration gives the validation, the types of the handler, and the OpenAPI
// document.

import type { RegistryContext } from '@store-export/control'
import type * as z from 'zod'
import type { ProblemName } from './problems.ts'
import type { AdminServices } from './services.ts'

/** The control database. Changes name the token as their actor. */
export interface RequestContext extends RegistryContext {
  /**
   * Checks that the nodes have the secret that encrypts the passwords of new stores. The check runs at most once, also
   * for a batch of many stores. Rejects like `requireServiceSecret`.
   */
  readonly requireSecret: () => Promise<void>
}

/** What a handler gets for a valid request. */
export interface AdminRequest<P, Q, B> {
  readonly services: AdminServices
  readonly context: RequestContext
  readonly params: P
  readonly query: Q
  readonly body: B
}

/** The schemas of successful responses, by status. */
type Responses = Readonly<Record<number, z.ZodType>>

/**
 * A response: a status, and the body that belongs to it. The body has the input type, because the service writes it as
 * it is.
 */
type ResultOf<R extends Responses> = {
  [S in keyof R]: { readonly status: S; readonly body: z.input<R[S]> }
}[keyof R]

/** A route with an NDJSON body, each line of which is a request to a route with a JSON body. */
export interface BatchDescription {
  /** Not below `/v1/stores/batch/`: a store with the external ID `batch` has its routes there. */
  readonly path: string
  /** Name of the operation in generated clients. */
  readonly id: string
  readonly summary: string
}

interface Description {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path with its parameters in braces, such as `/v1/stores/{store}`. */
  readonly path: string
  /** Name of the operation in generated clients. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** Problems besides those that every route can have. */
  readonly problems: readonly ProblemName[]
  /** The batch that runs this route for many lines. */
  readonly batch?: BatchDescription
}

interface Declaration<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, R extends Responses>
  extends Description {
  /** `noParameters` for a path without parameters. */
  readonly params: P
  /** `noQuery` for a route without a query. */
  readonly query: Q
  /** `noBody` for a route without a body. */
  readonly body: B
  readonly responses: R
  /** With `NoInfer`, a result that `responses` doesn't declare is a type error. */
  readonly handle: (request: AdminRequest<z.output<P>, z.output<Q>, z.output<B>>) => Promise<ResultOf<NoInfer<R>>>
}

/** A declared route, without the types of its parts. */
export interface Route extends Description {
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body: z.ZodType
  readonly responses: Responses
  /** Handles a request whose parts are the output of the schemas. */
  readonly handle: (request: AdminRequest<unknown, unknown, unknown>) => Promise<{ status: number; body: unknown }>
}

/** Returns a route. The types of the handler follow from the schemas. */
export function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, R extends Responses>(
  declaration: Declaration<P, Q, B, R>,
): Route {
  // The cast is safe, because a handler gets only the output of its own schemas. The compiler can't know that for a
  // list of routes.
  return declaration as unknown as Route
}
