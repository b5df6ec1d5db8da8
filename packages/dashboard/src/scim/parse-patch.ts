// Reads the body of PATCH: operations on the attributes of a SCIM user (RFC 7644, section 3.5.2). The service reads
// only four attributes, of which `userName` can't change, so it needs no library for the operations. See
// docs/contribute/decisions/086-manage-members-from-a-directory.md.

import { DIRECTORY_ROLE_DEFAULT, type DirectoryUserChange, type MemberRole } from '@store-export/control'
import { parseActive, parseAttributes, parseExternalId, parseRoles, parseUserName } from './parse-attributes.ts'
import { always, type UserReplacement } from './parse-user.ts'
import { ScimError } from './scim-error.ts'

const OPERATIONS_MAX = 100

/**
 * Returns what the operations change together. Throws `ScimError` for an invalid operation, so that the operations
 * before it have no effect.
 */
export function parsePatch(body: unknown): UserReplacement {
  const operations = parseAttributes(body, 'the body').get('operations')
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > OPERATIONS_MAX)
    throw new ScimError(400, `Operations: must be a list of 1 to ${OPERATIONS_MAX} operations`, {
      type: 'invalidSyntax',
    })
  let result: UserReplacement = { email: null, change: {} }
  for (const operation of operations) {
    for (const step of stepsOf(operation)) result = applyStep(result, step)
  }
  return result
}

/** One change of one attribute. */
interface Step {
  readonly op: 'add' | 'remove' | 'replace'
  /** Name of the attribute in lower case. */
  readonly attribute: string
  /** The filter of the path, with its brackets; '' without one. */
  readonly filter: string
  /** The sub-attribute in lower case; '' without one. */
  readonly part: string
  readonly value: unknown
}

/** Returns the changes of an operation. Without a path, its value has the attributes to change. */
function stepsOf(operation: unknown): Step[] {
  const members = parseAttributes(operation, 'Operations')
  const op = opOf(members.get('op'))
  const path = members.get('path')
  const value = members.get('value')
  if (path !== undefined && path !== null && path !== '') return [stepOf(op, path, value)]
  if (op === 'remove') throw new ScimError(400, 'path: is required to remove an attribute', { type: 'invalidPath' })
  const attributes = [...parseAttributes(value, 'value')].filter(([name]) => !READ_ONLY.has(name))
  return attributes.map(([name, each]) => stepOf(op, name, each))
}

/** Attributes that a directory can repeat without a change. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'schemas', 'meta'])

function opOf(value: unknown): Step['op'] {
  const op = typeof value === 'string' ? value.toLowerCase() : ''
  if (op === 'add' || op === 'remove' || op === 'replace') return op
  throw new ScimError(400, 'op: must be add, remove, or replace', { type: 'invalidSyntax' })
}

const CORE_USER = /^urn:ietf:params:scim:schemas:core:2\.0:user:/i
const PATH = /^([a-z$][\w$-]*)(\[[^[\]]*\])?(?:\.([a-z$][\w$-]*))?$/i

function stepOf(op: Step['op'], path: unknown, value: unknown): Step {
  const text = typeof path === 'string' ? path.replace(CORE_USER, '') : ''
  const [, attribute = '', filter = '', part = ''] = PATH.exec(text) ?? []
  // The service has no attributes of other schemas, so it ignores them.
  if (attribute === '' && !/^urn:/i.test(text))
    throw new ScimError(400, 'path: must be the path of an attribute', { type: 'invalidPath' })
  return { op, attribute: attribute.toLowerCase(), filter, part: part.toLowerCase(), value }
}

/**
 * Returns the result with one more change. Ignores attributes that the service doesn't have, because directories send
 * them by default. Throws `ScimError` for an invalid value, and for a read-only attribute in a path.
 */
function applyStep(result: UserReplacement, step: Step): UserReplacement {
  const { op, attribute, part, value } = step
  const isRemoved = op === 'remove'
  const withChange = (change: DirectoryUserChange) => ({ ...result, change: { ...result.change, ...change } })
  switch (attribute) {
    case 'username':
      return { ...result, email: parseUserName(isRemoved ? null : value) }
    case 'externalid':
      return withChange({ externalId: isRemoved ? null : parseExternalId(value) })
    case 'active':
      return isRemoved ? result : withChange({ isActive: parseActive(value) })
    case 'roles': {
      // Other parts of a role, such as its name for people, mean nothing to the service.
      if (part !== '' && part !== 'value') return result
      const { roleAfter: before = (role: MemberRole) => role } = result.change
      const change = isRemoved ? roleWithout(step) : always(parseRoles(value))
      return withChange({ roleAfter: (role) => change(before(role)) })
    }
    default:
      if (READ_ONLY.has(attribute)) throw new ScimError(400, `${attribute}: can't be changed`, { type: 'mutability' })
      return result
  }
}

/**
 * Returns how a removal changes a role. A filter or a value that names another role than the member has removes
 * nothing. Throws `ScimError` if the value names no known role.
 */
function roleWithout({ filter, value }: Step): (role: MemberRole) => MemberRole {
  const inFilter = /value\s+eq\s+"([^"\\]*)"/i.exec(filter)?.[1]?.toLowerCase()
  const named = inFilter ?? (value === undefined || value === null ? null : parseRoles(value))
  return (role) => (named === null || named === role ? DIRECTORY_ROLE_DEFAULT : role)
}
