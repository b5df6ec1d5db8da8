/** The thread of page-script.ts: asks the dependency's plugin for its script and posts it. Runs at import, as a thread does. */
import { parentPort } from 'node:worker_threads'
import reference from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'

const app = fastify()
app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference answered ${statusCode} for its script`)
// a copy of its own: the buffer of a payload can be a part of a shared pool
const script = new Uint8Array(rawPayload)
parentPort?.postMessage(script, [script.buffer])
