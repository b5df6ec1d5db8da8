// Returns the SCIM resources of the endpoint: users, and the documents that describe what the endpoint supports.

import { type DirectoryUser, MEMBER_ROLES } from '@store-export/control'
import { USERS_PER_PAGE } from './parse-query.ts'

/** Path of the endpoint below the dashboard's URL. */
export const SCIM_PATH = '/scim/v2'

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Returns the resource of a user. `base` is the URL of the endpoint. */
export function userResource(user: DirectoryUser, base: string): Json {
  const { id, externalId, email, role, isActive, createdAt, changedAt } = user
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: email,
    active: isActive,
    emails: [{ value: email, type: 'work', primary: true }],
    roles: [{ value: role, primary: true }],
    meta: {
      resourceType: 'User',
      created: createdAt.toISOString(),
      lastModified: changedAt.toISOString(),
      location: userLocation(id, base),
    },
  }
}

/** Returns the URL of a user. */
export function userLocation(id: string, base: string): string {
  return `${base}/Users/${id}`
}

/** Returns a page of a list. By default, `resources` are the whole list. */
export function listResponse(
  resources: readonly Json[],
  { total = resources.length, startIndex = 1 }: { readonly total?: number; readonly startIndex?: number } = {},
): Json {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

/**
 * Returns the resource with the chosen attributes only (RFC 7644, section 3.9). `attributes` and `excluded` are lists
 * of names with commas, or undefined. A name of a sub-attribute chooses its attribute. If `attributes` has names,
 * `excluded` has no effect. `schemas` and `id` always stay.
 */
export function selectAttributes(resource: Json, attributes: string | undefined, excluded: string | undefined): Json {
  const wanted = namesIn(attributes)
  const unwanted = namesIn(excluded)
  const isShown = (name: string) => {
    if (name === 'schemas' || name === 'id') return true
    return wanted.size > 0 ? wanted.has(name.toLowerCase()) : !unwanted.has(name.toLowerCase())
  }
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)))
}

function namesIn(list = ''): ReadonlySet<string> {
  const names = list.split(',').map((name) => name.trim().toLowerCase().replace(`${USER_SCHEMA.toLowerCase()}:`, ''))
  return new Set(names.map((name) => name.split('.', 1)[0] ?? '').filter((name) => name !== ''))
}

/** Returns the document that says which parts of SCIM the endpoint supports (RFC 7643, section 5). */
export function serviceProviderConfig(base: string): Json {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: USERS_PER_PAGE },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token from Settings > Members > Directory',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

/** Returns the document that says which types of resources the endpoint has: only users. */
export function resourceTypes(base: string): readonly Json[] {
  return [
    {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
      id: 'User',
      name: 'User',
      description: 'A person who can see the store',
      endpoint: '/Users',
      schema: USER_SCHEMA,
      meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
    },
  ]
}

/** Returns the schemas: that of users, with the attributes that the endpoint uses. */
export function schemas(base: string): readonly Json[] {
  return [
    {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
      id: USER_SCHEMA,
      name: 'User',
      description: 'A person who can see the store',
      attributes: [
        attribute('userName', 'The email address with which the person signs in', {
          required: true,
          uniqueness: 'server',
          mutability: 'immutable',
        }),
        attribute('externalId', 'The ID of the person in the directory', { caseExact: true, uniqueness: 'server' }),
        attribute('active', 'Whether the person can see the store', { type: 'boolean' }),
        {
          ...attribute('emails', 'The address of userName', { mutability: 'readOnly' }),
          ...{ type: 'complex', multiValued: true, subAttributes: EMAIL_PARTS },
        },
        {
          ...attribute('roles', 'The role of the person in the store'),
          ...{ type: 'complex', multiValued: true, subAttributes: ROLE_PARTS },
        },
      ],
      meta: { resourceType: 'Schema', location: `${base}/Schemas/${USER_SCHEMA}` },
    },
  ]
}

function attribute(name: string, description: string, others: Json = {}): Json {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...others,
  }
}

const EMAIL_PARTS = [
  attribute('value', 'The address', { mutability: 'readOnly' }),
  attribute('type', 'Always work', { mutability: 'readOnly', canonicalValues: ['work'] }),
  attribute('primary', 'Always true', { mutability: 'readOnly', type: 'boolean' }),
]
const ROLE_PARTS = [
  attribute('value', 'The role', { canonicalValues: MEMBER_ROLES }),
  attribute('primary', 'Always true', { mutability: 'readOnly', type: 'boolean' }),
]
