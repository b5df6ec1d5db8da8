import { UserError } from '../user-error.ts'

/**
 * Returns the error for an ID that no key has. `what` names the accepted keys, such as `active key`. The message quotes
 * at most 64 characters of the ID.
 */
export function unknownKey(what: string, keyId: string): UserError {
  return new UserError(
    `no ${what} has the ID ${JSON.stringify(keyId.slice(0, 64))}: "store-export keys list" shows the IDs`,
  )
}
