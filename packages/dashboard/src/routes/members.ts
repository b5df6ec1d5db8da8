// Handles requests for the members and the invitations of a store.

import {
  type DirectoryToken,
  findMemberRole,
  INVITATIONS_PER_DAY,
  INVITATIONS_TO_ADDRESS_PER_DAY,
  InvalidEmailError,
  listDirectoryTokens,
  listInvitations,
  listMembers,
  type MemberRole,
  parseEmail,
  withdrawInvitation,
} from '@store-export/control'
import {
  type InvitedPerson,
  type SentInvitation,
  sendInvitation,
  sendInvitationAgain,
} from '../members/send-invitation.ts'
import type { DirectoryState, MembersPage } from '../pages/member-models.ts'
import { membersView } from '../pages/members-view.ts'
import type { PageNotice } from '../pages/models.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type PageResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { canAddAdmins } from './fresh-session.ts'
import { actorOf } from './keys.ts'

/** Returns the message for a value of the flash cookie; null for another value. */
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
    case 'members.role':
      return { kind: 'done', text: texts.roles.change.done }
    case 'members.two-factor-on':
      return { kind: 'done', text: texts.twoFactorRule.turnedOn }
    case 'members.two-factor-off':
      return { kind: 'done', text: texts.twoFactorRule.turnedOff }
    case 'members.ended':
      return { kind: 'problem', text: notices.ended }
    default:
      return null
  }
}

/** An outcome that the form explains. For `forbidden`, the response is the 404 page. */
type Refusal = Exclude<SentInvitation, 'invited' | 'unsent' | 'forbidden'>

function refusalText({ texts }: StoreRequest, refusal: Refusal): string {
  const { problems } = texts.members
  if (refusal === 'member') return problems.member
  return refusal === 'store limit'
    ? problems.storeLimit(INVITATIONS_PER_DAY)
    : problems.addressLimit(INVITATIONS_TO_ADDRESS_PER_DAY)
}

/** The role that is selected in an empty form: the one with the fewest rights. */
const ROLE_OFFERED: MemberRole = 'viewer'

/** GET /stores/{s}/settings/members: shows the members, the pending invitations, and the form. */
export async function membersPage(request: StoreRequest): Promise<HandlerResult> {
  const { value, cookies } = takeFlash(request)
  const content = { email: '', role: ROLE_OFFERED, problem: null, notice: noticeOf(request, value) }
  return { ...(await renderMembers(request, content)), cookies }
}

/**
 * POST /stores/{s}/settings/members/invitations: sends an invitation, or shows the form again with an error. If the
 * dashboard sends no emails, the response is the 404 page.
 */
export async function inviteMember(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const { problems } = request.texts.members
  const typed = (form.email ?? '').slice(0, TYPED_LENGTH_MAX)
  const role = findMemberRole(form.role ?? '')
  const rejected = async (problem: string) => {
    const content = { email: typed, role: role ?? ROLE_OFFERED, problem, notice: null }
    return { ...(await renderMembers(request, content)), status: 400 } as const
  }
  if (role === null) return rejected(request.texts.roles.problems.none)
  if (role === 'admin' && !(await canAddAdmins(request))) return renderSignInAgain(request, { email: typed, role })
  try {
    return await sendTo(request, { email: parseEmail(form.email ?? ''), role }, typed)
  } catch (error) {
    if (!(error instanceof InvalidEmailError)) throw error
    return rejected(problems.email)
  }
}

/** Maximum number of characters of a typed address that the form shows again. It is longer than any valid address. */
const TYPED_LENGTH_MAX = 300

/** POST /stores/{s}/settings/members/invitations/{i}/send: sends an invitation again, with a new link. */
export async function sendAgain(request: StoreRequest): Promise<HandlerResult> {
  const { mailer } = request.services
  if (mailer === null) return notFoundPage(request)
  if ((await invitesAdmin(request)) && !(await canAddAdmins(request)))
    return renderSignInAgain(request, { email: '', role: ROLE_OFFERED })
  const sent = await sendInvitationAgain(request, invitationIdOf(request), mailer)
  if (sent === null) return redirectToMembers(request, 'members.ended')
  return afterSending(request, sent.outcome, { ...sent.person, typed: sent.person.email })
}

/** Whether the invitation of the URL is for an admin. */
async function invitesAdmin(request: StoreRequest): Promise<boolean> {
  const pending = await listInvitations(request.services.database, request.store.id)
  return pending.some(({ id, role }) => id === invitationIdOf(request) && role === 'admin')
}

/** Returns the page of the members, which says that the admin must sign in again. */
async function renderSignInAgain(
  request: StoreRequest,
  typed: Pick<MembersContent, 'email' | 'role'>,
): Promise<PageResult> {
  const notice = { kind: 'problem', text: request.texts.twoFactorRule.signInAgain } as const
  return { ...(await renderMembers(request, { ...typed, problem: null, notice })), status: 409 }
}

/** POST /stores/{s}/settings/members/invitations/{i}/withdraw: ends an invitation. */
export async function withdraw(request: StoreRequest): Promise<HandlerResult> {
  const { services, store } = request
  const invitationId = invitationIdOf(request)
  const options = { database: services.database, storeId: store.id, invitationId, actor: actorOf(request) }
  return redirectToMembers(request, (await withdrawInvitation(options)) ? 'members.withdrawn' : 'members.ended')
}

async function sendTo(request: StoreRequest, person: InvitedPerson, typed: string): Promise<HandlerResult> {
  const { mailer } = request.services
  if (mailer === null) return notFoundPage(request)
  return afterSending(request, await sendInvitation(request, person, mailer), { ...person, typed })
}

/** Redirects to the page of the members after an invitation, or returns the page with the reason of a refusal. */
async function afterSending(
  request: StoreRequest,
  outcome: SentInvitation,
  { role, typed }: Pick<InvitedPerson, 'role'> & { readonly typed: string },
): Promise<HandlerResult> {
  if (outcome === 'invited' || outcome === 'unsent') return redirectToMembers(request, `members.${outcome}`)
  if (outcome === 'forbidden') return notFoundPage(request)
  const content = { email: typed, role, problem: refusalText(request, outcome), notice: null }
  const page = await renderMembers(request, content)
  return { ...page, status: outcome === 'member' ? 409 : 429 }
}

interface MembersContent {
  /** The typed address. */
  readonly email: string
  /** The chosen role. */
  readonly role: MemberRole
  readonly problem: string | null
  readonly notice: PageNotice | null
}

async function renderMembers(request: StoreRequest, content: MembersContent): Promise<PageResult> {
  const { notice, ...form } = content
  const { services, store, session } = request
  const { database } = services
  const members = await listMembers(database, store.id)
  const tokens = await listDirectoryTokens({ database, storeId: store.id })
  const page: MembersPage = {
    members: members.map((member) => ({ ...member, isYou: member.merchantId === session.merchantId })),
    invitations: await listInvitations(database, store.id),
    directory: directoryState(tokens),
    requiresTwoFactor: store.requiresTwoFactor,
    form: services.mailer === null ? null : form,
  }
  const { title } = request.texts.members
  return { html: membersView(frameOf(request, { title, section: 'members', notice }), page) }
}

/** Returns the state of the directory. A revoked token that was never used doesn't count as a directory. */
function directoryState(tokens: readonly DirectoryToken[]): DirectoryState {
  if (tokens.some(({ revokedAt }) => revokedAt === null)) return 'connected'
  return tokens.some(({ lastUsedAt }) => lastUsedAt !== null) ? 'ended' : 'none'
}

function invitationIdOf({ context }: StoreRequest): string {
  return (context.req.param('invitation') ?? '').toLowerCase()
}

/** Redirects to the page of the members, which shows the message of the flash cookie. */
export function redirectToMembers(request: StoreRequest, flash: string): HandlerResult {
  return { to: storePaths(request.store.id).members, cookies: [flashCookie(request, flash)] }
}
