// Sends merchants an email when a tool of their store fails or stops, and before a key ends. One node at a time checks
// all stores.

import {
  type AlertRecipient,
  claimAlert,
  claimAlertRound,
  getStore,
  type KeyAlert,
  type RegisteredStore,
  readAlertRecipients,
  readStoresWithKeys,
  releaseAlert,
} from '@store-export/control'
import type { StoreAddress } from '@store-export/engine'
import { addressOf } from '../data/store-rows.ts'
import type { ActiveKeyRow } from '../pages/key-models.ts'
import type { Frame } from '../pages/models.ts'
import type { Services } from '../services.ts'
import { storePaths } from '../ui/store-paths.ts'
import { readActiveKeys } from '../usage/read-active-keys.ts'
import { alertsOf, alertText } from './key-alerts.ts'
import type { Mailer } from './mailer.ts'

/** What a round needs. */
export interface AlertOptions {
  readonly services: Pick<Services, 'database' | 'muteTokens' | 'origins' | 'emit' | 'requestLogHours' | 'apiUrl'>
  /** Returns the time zone of a store, an IANA name. */
  readonly timeZoneOf: (address: StoreAddress) => Promise<string>
  readonly mailer: Mailer
  readonly now: () => Date
}

const STORES_AT_ONCE = 500

/** Starts a round every `intervalMs`. `close` waits for the alert that is being sent. */
export function startAlerts(options: AlertOptions, intervalMs: number): { close(): Promise<void> } {
  const stopping = new AbortController()
  let underWay: Promise<void> = Promise.resolve()
  const next = () => {
    underWay = round(options, stopping.signal)
      .catch((cause: unknown) => {
        options.services.emit({ event: 'control.query_failed', requestId: null, cause })
      })
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, intervalMs).unref()
      })
  }
  let timer = setTimeout(next, intervalMs).unref()
  return {
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await underWay
      options.mailer.close()
    },
  }
}

async function round(options: AlertOptions, stopping: AbortSignal): Promise<void> {
  if (await claimAlertRound(options.services.database)) await sendAlerts(options, stopping)
}

/** Checks all stores, and sends the emails that are due. Rejects with errors of the PostgreSQL client. */
export async function sendAlerts(options: AlertOptions, stopping: AbortSignal): Promise<void> {
  const { database } = options.services
  let storeIds: string[] = []
  do {
    storeIds = await readStoresWithKeys(database, { after: storeIds.at(-1) ?? null, limit: STORES_AT_ONCE })
    for (const id of storeIds) {
      if (stopping.aborted) return
      const store = await getStore(database, id)
      if (store !== null) await sendAlertsOf(store, options, stopping)
    }
  } while (storeIds.length === STORES_AT_ONCE)
}

async function sendAlertsOf(store: RegisteredStore, options: AlertOptions, stopping: AbortSignal): Promise<void> {
  const { services } = options
  const now = options.now()
  const address = addressOf(store)
  const dueIn = async (timeZone: string) => {
    const keys = await readActiveKeys(services, { storeId: store.id, isReady: true, timeZone, now })
    return keys.active.flatMap((key) =>
      alertsOf(key, keys.rejected.get(key.id) ?? new Map<number, number>(), now).map((alert) => ({ key, alert })),
    )
  }
  // Only a store with a problem needs its time zone, which is in its own database.
  if (address === null || (await dueIn('UTC')).length === 0) return
  const timeZone = await options.timeZoneOf(address)
  const frame = frameOf(store, { timeZone, now, services })
  for (const due of await dueIn(timeZone)) await sendAlert({ frame, ...due }, options, stopping)
}

interface DueAlert {
  readonly frame: Frame
  readonly key: ActiveKeyRow
  readonly alert: KeyAlert
}

/**
 * Sends one email to each recipient. If none could be sent, the next round tries again. If the
 * node stops, it doesn't try further emails after a failed one, because each waits for the timeouts of the SMTP server.
 */
async function sendAlert(due: DueAlert, options: AlertOptions, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return
  const { alert } = due
  const { database, emit } = options.services
  const recipients = await readAlertRecipients(database, alert.keyId)
  if (recipients.length === 0 || !(await claimAlert(database, alert))) return
  let sent = 0
  for (const recipient of recipients) {
    try {
      await options.mailer.send(emailTo(recipient, due, options))
      sent += 1
    } catch (cause) {
      emit({ event: 'alert.failed', keyId: alert.keyId, kind: alert.kind, cause })
      if (stopping.aborted) break
    }
  }
  if (sent === 0) await releaseAlert(database, alert)
  else emit({ event: 'alert.sent', keyId: alert.keyId, kind: alert.kind, emails: sent })
}

function emailTo({ merchantId, email }: AlertRecipient, { frame, key, alert }: DueAlert, options: AlertOptions) {
  const { url } = options.services.origins
  const store = frame.store?.name ?? ''
  const { subject, sentence } = alertText(frame, key, alert)
  const unsubscribeUrl = `${url}/mute/${options.services.muteTokens.make({ merchantId, keyId: key.id })}`
  const log = `${url}${storePaths(frame.store?.id ?? '').keyUsage(key.id)}`
  const text = [
    sentence,
    `Store: ${store}\nKey: ${key.name} (${key.prefix}…${key.lastFour})`,
    `See what the tool did:\n${log}`,
    `Times are in the time zone ${frame.store?.timeZone ?? 'UTC'}. You get this email at most once a day. To get no more emails about this key, open:\n${unsubscribeUrl}`,
  ].join('\n\n')
  return { to: email, subject: `${store}: ${subject}`, text: `${text}\n`, unsubscribeUrl }
}

/** Returns the frame that the sentences of pages need, in British English and the store's time zone. */
function frameOf(
  { id, name }: RegisteredStore,
  { timeZone, now, services }: { timeZone: string; now: Date } & Pick<AlertOptions, 'services'>,
): Frame {
  const store = { id, name, status: 'ready', timeZone } as const
  const none = { title: '', viewer: null, section: null, notice: null, formToken: () => '' }
  return { ...none, store, locale: 'en-GB', now, apiUrl: services.apiUrl }
}
