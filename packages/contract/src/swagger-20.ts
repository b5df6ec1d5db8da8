// Creates the Swagger 2.0 document, for tools that don't read OpenAPI 3. Its content is the same, except for what 2.0
// can't express: `info` has no summary, a response and a schema have one example, and a union of strings is a string.

import { EXAMPLE_BASE_URL, type OpenApiOptions, openapi } from './openapi.ts'
import { infoBefore31 } from './openapi-30.ts'
import { downgradedSchema, mapMembers, objectOf } from './openapi-downgrade.ts'
import type { OpenApiObject } from './openapi-schema.ts'

/**
 * Returns the Swagger 2.0 document. `x-nullable` marks schemas that allow null. Throws if 2.0 can't express a schema,
 * or if `baseUrl` is not a URL.
 */
export function swagger20(options: OpenApiOptions = {}): OpenApiObject {
  const { openapi: _, info, servers, paths, components, ...rest } = openapi(options)
  const { securitySchemes, headers, responses, schemas } = objectOf(components)
  const responseOf = (response: unknown) => responseWith(objectOf(headers), objectOf(response))
  return {
    swagger: '2.0',
    info: infoBefore31(info),
    ...swaggerServer(options.baseUrl ?? EXAMPLE_BASE_URL),
    produces: ['application/json'],
    ...rest,
    paths: mapMembers(paths, (path) => mapMembers(path, (operation) => operationWith(responseOf, objectOf(operation)))),
    securityDefinitions: securitySchemes,
    responses: mapMembers(responses, responseOf),
    definitions: relocated(mapMembers(schemas, schemaOf)),
  }
}

/** Returns the members that name the server with this address. Throws if `baseUrl` is not a URL. */
export function swaggerServer(baseUrl: string): OpenApiObject {
  const { protocol, host, pathname } = new URL(baseUrl)
  return { host, basePath: pathname, schemes: [protocol.slice(0, -1)] }
}

function operationWith(responseOf: (response: unknown) => OpenApiObject, operation: OpenApiObject): OpenApiObject {
  const { parameters, responses, ...rest } = operation
  return {
    ...rest,
    ...(Array.isArray(parameters) ? { parameters: parameters.map(parameterOf) } : {}),
    responses: mapMembers(responses, responseOf),
  }
}

/**
 * Returns the parameter for version 2.0. It has no `schema`: the members of the schema are next to its name.
 * Schemathesis reads the example from `x-example`.
 */
function parameterOf(parameter: unknown): OpenApiObject {
  const { schema, example, examples, ...rest } = objectOf(parameter)
  const shown = example ?? (examples === undefined ? undefined : firstExample(examples))
  return { ...rest, ...schemaOf(schema), ...(shown === undefined ? {} : { 'x-example': shown }) }
}

function responseWith(headers: OpenApiObject, response: OpenApiObject): OpenApiObject {
  if ('$ref' in response) return relocated(response)
  const { content, headers: references, ...rest } = response
  const { schema, example, examples } = objectOf(objectOf(content)['application/json'])
  return {
    ...rest,
    schema: relocated(schemaOf(schema)),
    headers: Object.fromEntries(Object.keys(objectOf(references)).map((name) => [name, headerOf(headers[name])])),
    examples: { 'application/json': example ?? firstExample(examples) },
  }
}

function headerOf(header: unknown): OpenApiObject {
  const { schema, example, ...rest } = objectOf(header)
  return { ...rest, ...schemaOf(schema), 'x-example': example }
}

function firstExample(examples: unknown): unknown {
  const [first] = Object.values(objectOf(examples))
  return objectOf(first).value
}

function schemaOf(schema: unknown): OpenApiObject {
  return downgradedSchema(objectOf(schema), 'x-nullable')
}

/** Returns the object with its references changed to the paths of schemas and responses in version 2.0. */
function relocated(node: OpenApiObject): OpenApiObject {
  const text = JSON.stringify(node)
    .replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/definitions/')
    .replaceAll('"$ref":"#/components/responses/', '"$ref":"#/responses/')
  return objectOf(JSON.parse(text))
}
