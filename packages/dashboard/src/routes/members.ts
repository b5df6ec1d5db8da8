// Handles requests for the members and the invitations of a store.

import {
  INVITATIONS_PER_DAY,
  INVITATIONS_TO_ADDRESS_PER_DAY,
  listInvitations,
  listMembers,
  removeMember,
  withdrawInvitation,
} from '@store-export/control'
import { InvalidEmailError, parseEmail } from '../accounts/parse-email.ts'
import { type SentInvitation, sendInvitation } from '../members/send-invitation.ts'
import type { MembersPage } from '../pages/member-models.ts'
import { membersView } from '../pages/members-view.ts'
import type { PageNotice } from '../pages/models.ts'
import { removeMemberView } from '../pages/remove-member-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type PageResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { actorOf } from './keys.ts'

/** The message for the next page, by the value of the flash cookie; null for another value. */
function noticeOf({ texts }: StoreRequest, flash: string): PageNotice | null {
  const { notices } = texts.members
  switch (flash) {
    case 'members.invited':
      return { kind: 'done', text: notices.invited }
    case 'members.unsent':
      return { kind: 'problem', text: notices.unsent }
    case 'members.withdrawn':
      return { kind: 'done', text: notices.withdrawn }
    case 'members.removed':
      return { kind: 'done', text: notices.removed }
    case 'members.ended':
      return { kind: 'problem', text: notices.ended }
    default:
      return null
  }
}

type Refusal = Exclude<SentInvitation, 'invited' | 'unsent' | 'forbidden'>

function refusalText({ texts }: StoreRequest, refusal: Refusal): string {
  const { problems } = texts.members
  if (refusal === 'member') return problems.member
  return refusal === 'store limit'
    ? problems.storeLimit(INVITATIONS_PER_DAY)
    : problems.addressLimit(INVITATIONS_TO_ADDRESS_PER_DAY)
}

/** GET /stores/{s}/settings/members: shows the members, the pending invitations, and the form. */
export async function membersPage(request: StoreRequest): Promise<HandlerResult> {
  const { value, cookies } = takeFlash(request)
  return { ...(await renderMembers(request, { email: '', problem: null, notice: noticeOf(request, value) })), cookies }
}

/** POST /stores/{s}/settings/members/invitations: sends an invitation, or shows the form again with an error message. */
export async function inviteMember(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const typed = (form.email ?? '').slice(0, TYPED_LENGTH_MAX)
  try {
    return await sendTo(request, parseEmail(form.email ?? ''), typed)
  } catch (error) {
    if (!(error instanceof InvalidEmailError)) throw error
    const problem = request.texts.members.problems.email
    return { ...(await renderMembers(request, { email: typed, problem, notice: null })), status: 400 }
  }
}

const TYPED_LENGTH_MAX = 300

/** POST /stores/{s}/settings/members/invitations/{i}/send: sends an invitation again, with a new link. */
export async function sendAgain(request: StoreRequest): Promise<HandlerResult> {
  const { services, store } = request
  const invitations = await listInvitations(services.database, store.id)
  const invitation = invitations.find(({ id }) => id === invitationIdOf(request))
  if (invitation === undefined) return redirectWith(request, 'members.ended')
  return sendTo(request, invitation.email, invitation.email)
}

/** POST /stores/{s}/settings/members/invitations/{i}/withdraw: ends an invitation. */
export async function withdraw(request: StoreRequest): Promise<HandlerResult> {
  const { services, store } = request
  const invitationId = invitationIdOf(request)
  const options = { database: services.database, storeId: store.id, invitationId, actor: actorOf(request) }
  return redirectWith(request, (await withdrawInvitation(options)) ? 'members.withdrawn' : 'members.ended')
}

/** GET /stores/{s}/settings/members/{m}/remove: shows the confirmation page. */
export async function removeMemberPage(request: StoreRequest): Promise<HandlerResult> {
  const members = await listMembers(request.services.database, request.store.id)
  const merchantId = request.context.req.param('member') ?? ''
  const member = members.find((each) => each.merchantId === merchantId)
  if (member === undefined) return notFoundPage(request)
  const isViewer = merchantId === request.session.merchantId
  const page = { merchantId, email: member.email, isViewer, isLast: members.length === 1 }
  const { last, leave, remove } = request.texts.members.removal
  const { title } = page.isLast ? last : isViewer ? leave : remove
  return { html: removeMemberView(frameOf(request, { title, section: 'members' }), page) }
}

/** POST /stores/{s}/settings/members/{m}/remove: removes a member, or leaves the store. */
export async function remove(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, session } = request
  const merchantId = request.context.req.param('member') ?? ''
  const options = { database: services.database, storeId: store.id, merchantId, removedBy: session.merchantId }
  const outcome = await removeMember(options)
  if (outcome === 'unknown') return notFoundPage(request)
  if (outcome === 'last') return { to: storePaths(store.id).removeMember(merchantId) }
  return merchantId === session.merchantId ? { to: '/' } : redirectWith(request, 'members.removed')
}

async function sendTo(request: StoreRequest, email: string, typed: string): Promise<HandlerResult> {
  const { mailer } = request.services
  if (mailer === null) return notFoundPage(request)
  const outcome = await sendInvitation(request, email, mailer)
  if (outcome === 'invited' || outcome === 'unsent') return redirectWith(request, `members.${outcome}`)
  if (outcome === 'forbidden') return notFoundPage(request)
  const page = await renderMembers(request, { email: typed, problem: refusalText(request, outcome), notice: null })
  return { ...page, status: outcome === 'member' ? 409 : 429 }
}

interface MembersContent {
  /** The typed address. */
  readonly email: string
  readonly problem: string | null
  readonly notice: PageNotice | null
}

async function renderMembers(request: StoreRequest, { email, problem, notice }: MembersContent): Promise<PageResult> {
  const { services, store, session } = request
  const members = await listMembers(services.database, store.id)
  const page: MembersPage = {
    members: members.map((member) => ({ ...member, isViewer: member.merchantId === session.merchantId })),
    invitations: await listInvitations(services.database, store.id),
    form: services.mailer === null ? null : { email, problem },
  }
  const { title } = request.texts.members
  return { html: membersView(frameOf(request, { title, section: 'members', notice }), page) }
}

function invitationIdOf({ context }: StoreRequest): string {
  return (context.req.param('invitation') ?? '').toLowerCase()
}

function redirectWith(request: StoreRequest, flash: string): HandlerResult {
  return { to: storePaths(request.store.id).members, cookies: [flashCookie(request, flash)] }
}
