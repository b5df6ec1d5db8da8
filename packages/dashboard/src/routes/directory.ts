// Connects the directory of the store's company: shows the address of the SCIM endpoint, and creates and revokes the
// tokens for it. After the creation, only the browser that created a token can show it, for ten minutes.

import {
  createDirectoryToken,
  DIRECTORY_TOKENS_MAX,
  type DirectoryToken,
  DirectoryTokenLimitReached,
  listDirectoryTokens,
  revokeDirectoryToken,
  UnknownStore,
} from '@store-export/control'
import { directoryView, revokeDirectoryTokenView } from '../pages/directory-view.ts'
import type { PageNotice } from '../pages/models.ts'
import { SCIM_PATH } from '../scim/documents.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type PageResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { canAddAdmins } from './fresh-session.ts'
import { actorOf } from './keys.ts'
import {
  deleteNewDirectoryTokenCookie,
  deriveDirectoryToken,
  newDirectoryTokenCookie,
  unconfirmedDirectoryToken,
} from './new-directory-token.ts'

const REVOKED_FLASH = 'directory.revoked'

/**
 * GET /stores/{s}/settings/members/directory?copied: shows the address and the tokens, and for ten minutes a new token.
 * With `copied`, the browser forgets the new token, and the response redirects to the page.
 */
export async function directoryPage(request: StoreRequest): Promise<HandlerResult> {
  const { directory } = storePaths(request.store.id)
  if (request.context.req.query('copied') !== undefined)
    return { to: directory, cookies: [deleteNewDirectoryTokenCookie(request)] }
  const { value, cookies } = takeFlash(request)
  const { notices } = request.texts.directory
  const notice = value === REVOKED_FLASH ? ({ kind: 'done', text: notices.revoked } as const) : null
  return { ...(await showDirectory(request, notice)), cookies }
}

/**
 * POST /stores/{s}/settings/members/directory/tokens: creates a token, once for each form. A token can add admins, so
 * it needs the same session as an invitation of an admin (`canAddAdmins`).
 */
export async function createToken(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  if (!(await canAddAdmins(request))) {
    const text = request.texts.twoFactorRule.signInAgain
    return { ...(await showDirectory(request, { kind: 'problem', text })), status: 409 }
  }
  const { services, store, session } = request
  const { database } = services
  const formToken = form.form_token ?? ''
  const derived = deriveDirectoryToken(request, formToken)
  try {
    await createDirectoryToken({ database, storeId: store.id, ...derived, createdBy: session.merchantId })
  } catch (error) {
    // Another admin can remove this admin or the role while the request runs.
    if (error instanceof UnknownStore) return notFoundPage(request)
    if (!(error instanceof DirectoryTokenLimitReached)) throw error
    const text = request.texts.directory.notices.limitReached(DIRECTORY_TOKENS_MAX)
    return { ...(await showDirectory(request, { kind: 'problem', text })), status: 409 }
  }
  return { to: storePaths(store.id).directory, cookies: [newDirectoryTokenCookie(request, formToken)] }
}

/** GET /stores/{s}/settings/members/directory/tokens/{t}/revoke: shows the confirmation page. */
export async function revokeTokenPage(request: StoreRequest): Promise<HandlerResult> {
  const token = (await activeTokens(request)).find(({ id }) => id === tokenIdOf(request))
  if (token === undefined) return notFoundPage(request)
  const { title } = request.texts.directory.revocation
  return { html: revokeDirectoryTokenView(frameOf(request, { title, section: 'members' }), token) }
}

/** POST /stores/{s}/settings/members/directory/tokens/{t}/revoke: revokes a token. */
export async function revokeToken(request: StoreRequest): Promise<HandlerResult> {
  const { services, store } = request
  const options = { database: services.database, storeId: store.id, tokenId: tokenIdOf(request) }
  if ((await revokeDirectoryToken({ ...options, actor: actorOf(request) })) === 'unknown') return notFoundPage(request)
  return { to: storePaths(store.id).directory, cookies: [flashCookie(request, REVOKED_FLASH)] }
}

function activeTokens({ services, store }: StoreRequest): Promise<DirectoryToken[]> {
  return listDirectoryTokens({ database: services.database, storeId: store.id, activeOnly: true })
}

function tokenIdOf({ context }: StoreRequest): string {
  return (context.req.param('token') ?? '').toLowerCase()
}

/** Returns the page of the directory with the message `notice`. */
async function showDirectory(request: StoreRequest, notice: PageNotice | null): Promise<PageResult> {
  const tokens = await activeTokens(request)
  const page = {
    url: request.services.origins.url + SCIM_PATH,
    tokens,
    newToken: await unconfirmedDirectoryToken(request),
    canCreate: tokens.length < DIRECTORY_TOKENS_MAX,
  }
  const { title } = request.texts.directory
  return { html: directoryView(frameOf(request, { title, section: 'members', notice }), page) }
}
