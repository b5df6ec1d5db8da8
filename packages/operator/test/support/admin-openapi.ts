// Checks responses of the admin API against its OpenAPI document. A response that the document doesn't describe fails
// its test.

import { adminOpenApi } from '@store-export/admin'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Content>> }>>>
  >
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const DOCUMENT = JSON.parse(JSON.stringify(adminOpenApi())) as Document
const DEFINITIONS = 'admin.json'

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajvFormats.default(ajv)
ajv.addSchema(
  JSON.parse(
    JSON.stringify({ $id: DEFINITIONS, $defs: DOCUMENT.components.schemas }).replaceAll(
      '"#/components/schemas/',
      `"${DEFINITIONS}#/$defs/`,
    ),
  ),
)

/** A response, and the method and path of its request. */
export interface DescribedResponse {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** Throws if the document doesn't describe the status or the body of a response to a declared route. */
export function checkDescribed({ method, path, status, contentType, text }: DescribedResponse): void {
  const route = routeOf(path)
  const operation = route === undefined ? undefined : DOCUMENT.paths[route]?.[method.toLowerCase()]
  if (operation === undefined) return
  const reference = operation.responses[status]?.content[contentType]?.schema.$ref
  if (reference === undefined)
    throw new Error(`${method} ${route}: ${status} with ${contentType} is not in the OpenAPI document: ${text}`)
  const bodies = contentType === 'application/x-ndjson' ? text.trim().split('\n') : [text]
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  for (const body of bodies) {
    if (ajv.validate({ $ref: `${DEFINITIONS}#/$defs/${name}` }, JSON.parse(body))) continue
    throw new Error(`${method} ${route}: ${ajv.errorsText()} in ${body}`)
  }
}

/** Returns the declared path of a request, such as `/v1/stores/{store}`. */
function routeOf(path: string): string | undefined {
  const parts = path.split('?')[0]?.split('/') ?? []
  const fits = (route: string) => {
    const own = route.split('/')
    return own.length === parts.length && own.every((part, index) => part.startsWith('{') || part === parts[index])
  }
  const routes = Object.keys(DOCUMENT.paths).filter(fits)
  return routes.find((route) => !route.includes('{')) ?? routes[0]
}
