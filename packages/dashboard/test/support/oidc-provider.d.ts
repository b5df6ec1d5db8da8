// The parts of oidc-provider that tests use; the package brings no types.

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** An OpenID Connect provider, as a handler of requests. */
  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
}
