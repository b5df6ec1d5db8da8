// Declares what each role may do in a store. Every route of a store names one permission (app.ts), and the views hide
// the controls that need another.

import type { MemberRole } from '@store-export/control'
import type { Frame } from '../pages/models.ts'

/**
 * `see usage`: the store, its keys without their secret, their requests, its members, and its activity. `see data`:
 * rows of the store, which have personal data of customers. `manage keys` and `manage members`: change them.
 */
export type Permission = 'see usage' | 'see data' | 'manage keys' | 'manage members'

const PERMISSIONS: Readonly<Record<MemberRole, readonly Permission[]>> = {
  admin: ['see usage', 'see data', 'manage keys', 'manage members'],
  developer: ['see usage', 'see data', 'manage keys'],
  viewer: ['see usage'],
}

/** Whether a role includes a permission. */
export function includesPermission(role: MemberRole, permission: Permission): boolean {
  return PERMISSIONS[role].includes(permission)
}

/**
 * Whether the merchant may create and replace keys in the frame's store. An imported store needs no keys, because the
 * API doesn't serve it.
 */
export function canCreateKeys(frame: Pick<Frame, 'store'>): boolean {
  return isAllowed(frame, 'manage keys') && frame.store?.status !== 'imported'
}

/** Whether the merchant may do something in the frame's store. False on a page without a store. */
export function isAllowed({ store }: Pick<Frame, 'store'>, permission: Permission): boolean {
  return store !== null && includesPermission(store.role, permission)
}
