// Runs in the worker thread of page-script.ts. Takes the script of /docs from @scalar/fastify-api-reference and posts
// it to the main thread. The dependency serves its script only through a route of a Fastify plugin. The service does
// not use Fastify, so this module passes the plugin an object with only the members that the plugin uses.

import { parentPort } from 'node:worker_threads'
import reference from '@scalar/fastify-api-reference'

const PREFIX = '/docs'
const ROUTE = `${PREFIX}/js/scalar.js`

/** The members of a Fastify route that this module uses. */
interface Route {
  readonly url: string
  readonly handler: (request: unknown, reply: Reply) => unknown
}

interface Reply {
  header(name: string, value: string): Reply
  send(body: unknown): unknown
}

const script = new TextEncoder().encode(scriptOf(routesOf(reference)))
parentPort?.postMessage(script, [script.buffer])

function routesOf(plugin: unknown): Route[] {
  if (typeof plugin !== 'function') throw new Error('@scalar/fastify-api-reference is not a plugin')
  const routes: Route[] = []
  const host = { initialConfig: {}, log: { warn: ignore }, route: (route: Route) => routes.push(route) }
  const options = { routePrefix: PREFIX, configuration: { url: '/openapi.json' } }
  Reflect.apply(plugin, undefined, [host, options, ignore])
  return routes
}

function scriptOf(routes: readonly Route[]): string {
  let sent: unknown
  const reply: Reply = { header: () => reply, send: (body) => (sent = body) }
  routes.find(({ url }) => url === ROUTE)?.handler({}, reply)
  if (typeof sent !== 'string') throw new Error(`@scalar/fastify-api-reference has no script at ${ROUTE}`)
  return sent
}

function ignore(): void {}
