// Shows a new key with the settings for the chosen tool, and waits for the first request of the tool.

import { type ControlDatabase, readLastErrors, readWholeRequestLog } from '@store-export/control'
import { firstRequestPart, keyCreatedView, revokedPart } from '../pages/key-created-view.ts'
import type { FirstRequests, KeyRow } from '../pages/key-models.ts'
import { keyUnavailableView } from '../pages/key-unavailable-view.ts'
import type { PageNotice } from '../pages/models.ts'
import { connectionOf, findTool } from '../recipes/tools.ts'
import { durationOfHours } from '../ui/dates.ts'
import { ifReadable } from '../usage/if-readable.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { takeFlash } from './flash.ts'
import { activeKey, keyIdOf, readKeysPage, redirectFromInactiveKey } from './keys.ts'
import { unconfirmedKey } from './new-key.ts'

/**
 * Prefix of the flash value after a replacement form was sent twice with different ends for the old key. The first
 * choice holds. The ID of the new key follows the prefix.
 */
export const FIRST_CHOICE_FLASH = 'first-choice.'

/**
 * GET /stores/{s}/settings/api/keys/{k}/created?tool=excel: shows the key to the browser that created it, until the
 * merchant confirms having copied it, for at most ten minutes. In another browser, or later, the page says that it
 * can't show the key. `tool` is the tool that the merchant chose.
 */
export async function createdPage(request: StoreRequest): Promise<HandlerResult> {
  const page = await readKeysPage(request)
  const row = activeKey(request, page)
  if (row === null) return redirectFromInactiveKey(request, page)
  const replaces = page.active.find(({ replacedBy }) => replacedBy?.id === row.id) ?? null
  const { value, cookies } = takeFlash(request)
  const notice = value === `${FIRST_CHOICE_FLASH}${row.id}` ? firstChoice(request, replaces) : null
  const shown = await unconfirmedKey(request)
  const { title, unavailable } = request.texts.keyCreated
  if (shown?.id !== row.id) {
    const frame = frameOf(request, { title: unavailable.title, section: 'api', notice })
    return { html: keyUnavailableView(frame, { key: row }), cookies }
  }
  const frame = frameOf(request, { title, section: 'api', notice })
  const key = shown.reveal()
  const { apiUrl } = request.services
  const curl = `curl -H 'x-api-key: ${key}' '${apiUrl}/api/v1/store'`
  const tool = findTool(request.context.req.query('tool') ?? '')
  const connection = tool === null ? null : connectionOf(tool, key, apiUrl)
  const first = await firstRequests(request, row.id)
  const html = keyCreatedView(frame, { id: row.id, name: row.name, key, curl, connection, first, replaces })
  return { html, cookies }
}

/**
 * Returns the notice that the second choice changed nothing, and that the old key ends as first chosen. `replaces` is
 * the old key; null if it has ended.
 */
function firstChoice({ texts }: StoreRequest, replaces: KeyRow | null): PageNotice {
  const { old } = texts.keyCreated
  const hours = replaces?.replacedBy?.endsAfterHours
  return { kind: 'problem', text: old.firstChoice(hours === undefined ? null : durationOfHours(hours)) }
}

/** GET /stores/{s}/settings/api/keys/{k}/created/live: the part of the page that waits for the first request. */
export async function createdLive(request: StoreRequest): Promise<HandlerResult> {
  const { active, revoked } = await readKeysPage(request)
  const row = activeKey(request, { active })
  const ended = revoked.find(({ id }) => id === keyIdOf(request))
  if (ended !== undefined) return { html: revokedPart(request.texts.keys.notices.revoked(ended.name)) }
  if (row === null) return notFoundPage(request)
  const frame = frameOf(request, { title: request.texts.keyCreated.title, section: 'api' })
  return { html: firstRequestPart(frame, row.id, await firstRequests(request, row.id)) }
}

/** Returns the sums of the key's request log; null if it can't be read. The log of a new key has all requests. */
function firstRequests(request: StoreRequest, keyId: string): Promise<FirstRequests | null> {
  return ifReadable(request, readFirstRequests(request.services.database, keyId))
}

async function readFirstRequests(database: ControlDatabase, keyId: string): Promise<FirstRequests> {
  // The log of a new key has no older lines to leave out.
  const since = new Date(0)
  const [lines, errors] = await Promise.all([
    readWholeRequestLog({ database, keyId, since, before: null, errorsOnly: false, endpoint: null }),
    readLastErrors({ database, keyIds: [keyId], since }),
  ])
  return {
    requests: lines.reduce((sum, { requests }) => sum + requests, 0),
    rows: lines.reduce((sum, { rows }) => sum + rows, 0),
    error: errors[0] ?? null,
  }
}
