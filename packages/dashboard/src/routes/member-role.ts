// Changes the role of a member. The new role applies to the next request of the member.

import { changeMemberRole, findMemberRole } from '@store-export/control'
import { memberRoleView } from '../pages/member-role-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { HandlerResult, PageResult, StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { canAddAdmins } from './fresh-session.ts'
import { redirectToMembers } from './members.ts'
import { memberFrame, memberOf } from './remove-member.ts'

/** GET /stores/{s}/settings/members/{m}/role: shows the form. */
export async function rolePage(request: StoreRequest): Promise<HandlerResult> {
  return showForm(request, null)
}

/**
 * POST /stores/{s}/settings/members/{m}/role: changes the role. Shows the form again with status 400 without a known
 * role. The status is 409 for the last admin, and for a session that can't add admins.
 */
export async function changeRole(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const { services, store, session, context } = request
  const { problems } = request.texts.roles
  const role = findMemberRole(form.role ?? '')
  if (role === null) return { ...(await showForm(request, problems.none)), status: 400 }
  if (role === 'admin' && !(await canAddAdmins(request)))
    return { ...(await showForm(request, request.texts.twoFactorRule.signInAgain)), status: 409 }
  const outcome = await changeMemberRole({
    database: services.database,
    storeId: store.id,
    merchantId: context.req.param('member') ?? '',
    role,
    changedBy: session.merchantId,
  })
  if (outcome === 'unknown') return notFoundPage(request)
  if (outcome === 'last admin') return { ...(await showForm(request, problems.lastAdmin)), status: 409 }
  return outcome === 'same' ? { to: storePaths(store.id).members } : redirectToMembers(request, 'members.role')
}

async function showForm(request: StoreRequest, problem: string | null): Promise<PageResult> {
  const member = await memberOf(request)
  if (member === null) return notFoundPage(request)
  const { merchantId, email, role } = member
  const frame = memberFrame(request, request.texts.roles.change.title)
  return { html: memberRoleView(frame, { merchantId, email, role, problem }) }
}
