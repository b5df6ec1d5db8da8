// Ends the access of a member to a store: an admin removes a member, or a member leaves.

import { listMembers, removeMember, type StoreMember } from '@store-export/control'
import type { Frame } from '../pages/models.ts'
import { lastAdminView, leaveView, removeMemberView } from '../pages/remove-member-view.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { redirectToMembers } from './members.ts'

/** GET /stores/{s}/settings/members/{m}/remove: shows the confirmation page. */
export async function removeMemberPage(request: StoreRequest): Promise<HandlerResult> {
  const member = await memberOf(request)
  if (member === null) return notFoundPage(request)
  if (isYou(request, member)) return { to: storePaths(request.store.id).leave }
  const { title } = request.texts.members.removal.remove
  return { html: removeMemberView(memberFrame(request, title), member) }
}

/**
 * POST /stores/{s}/settings/members/{m}/remove: removes a member. For the merchant's own membership, redirects to the
 * page that confirms to leave.
 */
export async function remove(request: StoreRequest): Promise<HandlerResult> {
  const member = await memberOf(request)
  if (member === null) return notFoundPage(request)
  if (isYou(request, member)) return { to: storePaths(request.store.id).leave }
  const outcome = await removeFrom(request, member.merchantId)
  return outcome === 'removed' ? redirectToMembers(request, 'members.removed') : notFoundPage(request)
}

/** GET /stores/{s}/settings/members/leave: shows the confirmation page, or why the last admin can't leave. */
export async function leavePage(request: StoreRequest): Promise<HandlerResult> {
  const { last, leave: texts } = request.texts.members.removal
  const members = await listMembers(request.services.database, request.store.id)
  const otherAdmins = members.filter((member) => member.role === 'admin' && !isYou(request, member))
  if (request.store.role === 'admin' && otherAdmins.length === 0)
    return { html: lastAdminView(memberFrame(request, last.title)) }
  return { html: leaveView(memberFrame(request, texts.title)) }
}

/**
 * POST /stores/{s}/settings/members/leave: ends the merchant's own access. The last admin can't leave, and gets the
 * page that says so.
 */
export async function leave(request: StoreRequest): Promise<HandlerResult> {
  const outcome = await removeFrom(request, request.session.merchantId)
  if (outcome === 'last admin') return { to: storePaths(request.store.id).leave }
  return { to: '/' }
}

function removeFrom({ services, store, session }: StoreRequest, merchantId: string) {
  const { database } = services
  return removeMember({ database, storeId: store.id, merchantId, removedBy: session.merchantId })
}

/** Returns the member of the URL; null for other merchants. */
export async function memberOf({ services, store, context }: StoreRequest): Promise<StoreMember | null> {
  const merchantId = context.req.param('member') ?? ''
  const members = await listMembers(services.database, store.id)
  return members.find((member) => member.merchantId === merchantId) ?? null
}

function isYou({ session }: StoreRequest, { merchantId }: StoreMember): boolean {
  return merchantId === session.merchantId
}

/** Returns the frame of a page about one member. */
export function memberFrame(request: StoreRequest, title: string): Frame {
  return frameOf(request, { title, section: 'members' })
}
