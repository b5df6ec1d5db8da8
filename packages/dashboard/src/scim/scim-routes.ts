// The routes of the SCIM endpoint, with which a company's directory manages the members of a store (RFC 7644).

import type { Hono } from 'hono'
import type { Environment } from '../routes/create-handlers.ts'
import type { Services } from '../services.ts'
import { type Json, listResponse, resourceTypes, SCIM_PATH, schemas, serviceProviderConfig } from './documents.ts'
import { type ScimHandler, scimHandlers } from './handle-request.ts'
import { ScimError } from './scim-error.ts'
import { addUser, listUsers, patchUser, readUser, removeUser, replaceUser } from './users.ts'

/**
 * Adds the routes below `SCIM_PATH`. Each request needs a token, also for the documents about the service. `all` comes
 * after the other methods of its path: Hono runs the first route that matches.
 */
export function addScimRoutes(app: Hono<Environment>, services: Services): void {
  const { handle, handleBody } = scimHandlers(services)
  const scim = app.basePath(SCIM_PATH)
  scim.get('/Users', handle(listUsers))
  scim.post('/Users', handleBody(addUser))
  scim.all('/Users', handle(notAllowed('GET, POST')))
  scim.get('/Users/:user', handle(readUser))
  scim.put('/Users/:user', handleBody(replaceUser))
  scim.patch('/Users/:user', handleBody(patchUser))
  scim.delete('/Users/:user', handle(removeUser))
  scim.all('/Users/:user', handle(notAllowed('GET, PUT, PATCH, DELETE')))
  // A store has no groups. Some directories read groups before they continue, so they get an empty list, not an error.
  scim.get('/Groups', handle(list(() => [])))
  scim.all('/Groups', handle(noGroups))
  const documents = {
    '/ServiceProviderConfig': document(serviceProviderConfig),
    '/ResourceTypes': list(resourceTypes),
    '/ResourceTypes/:name': oneOf(resourceTypes),
    '/Schemas': list(schemas),
    '/Schemas/:name': oneOf(schemas),
  }
  for (const [path, handler] of Object.entries(documents)) {
    scim.get(path, handle(handler))
    scim.all(path, handle(notAllowed('GET')))
  }
  scim.all('/*', handle(unknown))
}

function document(documentOf: (base: string) => Json): ScimHandler {
  return ({ base }) => ({ status: 200, body: documentOf(base) })
}

function list(resourcesOf: (base: string) => readonly Json[]): ScimHandler {
  return ({ base }) => ({ status: 200, body: listResponse(resourcesOf(base)) })
}

function oneOf(resourcesOf: (base: string) => readonly Json[]): ScimHandler {
  return (request) => {
    const name = request.context.req.param('name')
    const found = resourcesOf(request.base).find(({ id }) => id === name)
    return found === undefined ? unknown() : { status: 200, body: found }
  }
}

function notAllowed(allow: string): ScimHandler {
  return () => {
    throw new ScimError(405, `the method is not allowed here; use ${allow}`, { headers: { allow } })
  }
}

function noGroups(): never {
  throw new ScimError(501, 'this service has no groups; send the role of a person in the attribute roles')
}

function unknown(): never {
  throw new ScimError(
    404,
    'no such resource; this service has Users, ServiceProviderConfig, ResourceTypes, and Schemas',
  )
}
