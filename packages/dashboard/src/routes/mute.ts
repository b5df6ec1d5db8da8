// Stops and resumes the emails about a key: by a link in an email without a sign-in, or on the page of the key.

import { listKeys, setKeyMuted } from '@store-export/control'
import { muteView } from '../pages/mute-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { type DashboardRequest, frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'

/** GET /mute/{token}: shows a button. The response to a forged token is the 404 page. */
export function mutePage(request: DashboardRequest): HandlerResult {
  const token = request.context.req.param('token') ?? ''
  if (request.services.muteTokens.read(token) === null) return notFoundPage(request)
  const frame = frameOf(request, { title: request.texts.emails.mute.heading })
  return { html: muteView(frame, { token, isMuted: false }) }
}

/** POST /mute: stops the emails of the link. A repetition changes nothing. */
export async function mute(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const token = form.token ?? ''
  const link = request.services.muteTokens.read(token)
  if (link === null) return notFoundPage(request)
  await setKeyMuted(request.services.database, { ...link, isMuted: true })
  const frame = frameOf(request, { title: request.texts.emails.mute.done })
  return { html: muteView(frame, { token, isMuted: true }) }
}

/** POST /stores/{s}/usage/keys/{k}/emails: stops the emails about a key for this merchant, or turns them on again. */
export async function setEmails(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const { services, store, session, context } = request
  const keyId = (context.req.param('key') ?? '').toLowerCase()
  const keys = await listKeys({ database: services.database, storeId: store.id })
  if (!keys.some(({ id }) => id === keyId)) return notFoundPage(request)
  const isMuted = form.emails === 'off'
  await setKeyMuted(services.database, { merchantId: session.merchantId, keyId, isMuted })
  return { to: storePaths(store.id).keyUsage(keyId) }
}
