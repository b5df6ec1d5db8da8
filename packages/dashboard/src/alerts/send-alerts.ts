// Sends merchants emails about the tools of their store that fail, stop, or exceed the rate limit, and about keys that
// end soon or leaked. Also sends admins emails about a directory token that leaked, and about the revocation of a
// directory's last token. One node at a time checks all stores.

import {
  type AlertRecipient,
  claimAlert,
  claimAlertRound,
  claimTokenAlert,
  getStore,
  type KeyAlert,
  LEAKED,
  type RegisteredStore,
  readAdminRecipients,
  readAlertRecipients,
  readLeakedKeys,
  readLeakRecipients,
  readRevokedTokens,
  readStoresWithKeys,
  releaseAlert,
  releaseTokenAlert,
} from '@store-export/control'
import type { StoreAddress } from '@store-export/engine'
import { addressOf } from '../data/store-rows.ts'
import type { ActiveKeyRow } from '../pages/key-models.ts'
import type { Frame } from '../pages/models.ts'
import type { Services } from '../services.ts'
import { findLanguage, localizationIn } from '../texts/languages.ts'
import { storePaths } from '../ui/store-paths.ts'
import { readActiveKeys } from '../usage/read-active-keys.ts'
import { alertsOf, alertText } from './key-alerts.ts'
import { leakEmail, tokenLeakEmail } from './leak-email.ts'
import type { Email, Mailer } from './mailer.ts'
import { tokenEndEmail } from './token-end-email.ts'

/** What a round needs. A round checks all stores once. */
export interface AlertOptions {
  readonly services: Pick<Services, 'database' | 'muteTokens' | 'origins' | 'emit' | 'requestLogHours' | 'apiUrl'>
  /** Returns the time zone of a store, an IANA name. */
  readonly timeZoneOf: (address: StoreAddress) => Promise<string>
  readonly mailer: Mailer
  readonly now: () => Date
}

/** Number of store IDs that one statement reads. */
const STORES_AT_ONCE = 500
/** The kind of an alert about the end of a directory's last token. */
const DIRECTORY_ENDED = 'directory_ended'

/**
 * Starts a round `intervalMs` after the call, and after the end of each round. Emits `control.query_failed` if a round
 * fails. `close` waits for the alert that is being sent, and closes the mailer.
 */
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

/** Runs a round, unless a node has started one less than four minutes ago. */
async function round(options: AlertOptions, stopping: AbortSignal): Promise<void> {
  const steadySince = await claimAlertRound(options.services.database)
  if (steadySince !== null) await sendAlerts(options, { stopping, steadySince })
}

/** When a round ends early, and since when rounds have run without a gap. */
export interface Round {
  /** Aborted when the node stops. */
  readonly stopping: AbortSignal
  readonly steadySince: Date
}

/**
 * Sends the emails about leaked keys and revoked tokens, then checks all stores and sends the emails that are due. Ends
 * early if the node stops, or if the SMTP server is away. Rejects with errors of the PostgreSQL client.
 */
export async function sendAlerts(options: AlertOptions, round: Round): Promise<void> {
  const { database } = options.services
  if ((await sendLeakAlerts(options, round)) === 'server away') return
  if ((await sendTokenAlerts(options, round)) === 'server away') return
  let storeIds: string[] = []
  do {
    storeIds = await readStoresWithKeys(database, { after: storeIds.at(-1) ?? null, limit: STORES_AT_ONCE })
    for (const id of storeIds) {
      if (round.stopping.aborted) return
      const store = await getStore(database, id)
      if (store !== null && (await sendAlertsOf(store, options, round)) === 'server away') return
    }
  } while (storeIds.length === STORES_AT_ONCE)
}

/** `server away`: the SMTP server could not be reached, or rejected the sign-in. */
type Outcome = 'done' | 'server away'

/** Sends the emails about leaked keys. Reads no store's database, so that these emails don't depend on it. */
async function sendLeakAlerts(options: AlertOptions, { stopping }: Round): Promise<Outcome> {
  const { database, origins } = options.services
  for (const leak of await readLeakedKeys(database)) {
    if (stopping.aborted) break
    // A key leaks only once, so no `occurrence` is needed to distinguish its alerts.
    const alert = { keyId: leak.keyId, kind: LEAKED, occurrence: '' }
    const due = {
      ...{ alert, record: recordOf(alert, options) },
      recipients: await readLeakRecipients(database, leak.keyId),
      emailTo: ({ email, language, role }: AlertRecipient) => {
        const { texts } = localizationFor(language)
        return leakEmail(leak, { to: email, role, texts: texts.emails.leaked, dashboardUrl: origins.url })
      },
    }
    if ((await sendAlert(due, options)) === 'server away') return 'server away'
  }
  return 'done'
}

/** Sends the emails about directory tokens that leaked, and about the revocation of a directory's last token. */
async function sendTokenAlerts(options: AlertOptions, { stopping }: Round): Promise<Outcome> {
  const { database, origins } = options.services
  for (const token of await readRevokedTokens(database)) {
    if (stopping.aborted) break
    const { tokenId, isLeaked } = token
    const due = {
      alert: { keyId: tokenId, kind: isLeaked ? LEAKED : DIRECTORY_ENDED },
      record: {
        claim: () => claimTokenAlert(database, tokenId),
        release: () => releaseTokenAlert(database, tokenId),
      },
      recipients: await readAdminRecipients(database, token.storeId),
      emailTo: ({ email: to, language }: AlertRecipient) => {
        const { leakedToken, directoryEnded } = localizationFor(language).texts.emails
        const dashboardUrl = origins.url
        return isLeaked
          ? tokenLeakEmail(token, { to, texts: leakedToken, dashboardUrl })
          : tokenEndEmail(token, { to, texts: directoryEnded, dashboardUrl })
      },
    }
    if ((await sendAlert(due, options)) === 'server away') return 'server away'
  }
  return 'done'
}

/** Sends the emails about the keys of a store. Skips a store without a database, because tools can't read it. */
async function sendAlertsOf(store: RegisteredStore, options: AlertOptions, round: Round): Promise<Outcome> {
  const { services } = options
  const now = options.now()
  const address = addressOf(store)
  const times = { now, steadySince: round.steadySince }
  const dueIn = async (timeZone: string) => {
    const keys = await readActiveKeys({ services, requestId: null, storeId: store.id, isReady: true, timeZone, now })
    return keys.active.flatMap((key) =>
      alertsOf(key, keys.rejected.get(key.id) ?? new Map<number, number>(), times).map((alert) => ({ key, alert })),
    )
  }
  // Reads the time zone only if the keys have a problem in UTC, because the time zone is in the store's own database.
  if (address === null || (await dueIn('UTC')).length === 0) return 'done'
  const timeZone = await options.timeZoneOf(address)
  const frame = frameOf(store, { timeZone, now, services })
  for (const due of await dueIn(timeZone)) {
    if (round.stopping.aborted) break
    const recipients = await readAlertRecipients(services.database, due.alert.keyId)
    const emailTo = (recipient: AlertRecipient) => problemEmail(recipient, { frame, ...due }, options)
    const { alert } = due
    const record = recordOf(alert, options)
    if ((await sendAlert({ alert, record, recipients, emailTo }, options)) === 'server away') return 'server away'
  }
  return 'done'
}

/** The record that an email was sent, so that several nodes send it once. */
interface AlertRecord {
  /**
   * Makes the record before the email is sent. Returns false if a record exists, and for a key that already had an
   * email of this kind today.
   */
  readonly claim: () => Promise<boolean>
  /** Removes the record, so that the next round sends the email. */
  readonly release: () => Promise<void>
}

function recordOf(alert: KeyAlert, { services: { database } }: AlertOptions): AlertRecord {
  return { claim: () => claimAlert(database, alert), release: () => releaseAlert(database, alert) }
}

interface DueAlert {
  /** `keyId` is the ID of a key, or of a token of a directory. */
  readonly alert: Pick<KeyAlert, 'keyId' | 'kind'>
  readonly record: AlertRecord
  readonly recipients: readonly AlertRecipient[]
  readonly emailTo: (recipient: AlertRecipient) => Email
}

/**
 * Sends one email to each recipient. Without recipients, makes no record, so that a later round can send the emails. If
 * the SMTP server is away before it accepted an email, the next round tries again. There is no second attempt for an
 * address that the server rejects, or if the server goes away later.
 */
async function sendAlert({ alert, record, recipients, emailTo }: DueAlert, options: AlertOptions): Promise<Outcome> {
  const { emit } = options.services
  if (recipients.length === 0 || !(await record.claim())) return 'done'
  let emails = 0
  let isAway = false
  for (const recipient of recipients) {
    try {
      await options.mailer.send(emailTo(recipient))
      emails += 1
    } catch (cause) {
      emit({ event: 'alert.failed', keyId: alert.keyId, kind: alert.kind, cause })
      isAway = !isRejection(cause)
      if (isAway) break
    }
  }
  if (emails > 0) emit({ event: 'alert.sent', keyId: alert.keyId, kind: alert.kind, emails })
  else if (isAway) await record.release()
  return isAway ? 'server away' : 'done'
}

/** Whether the SMTP server rejected this email, in contrast to an error of the connection or of the sign-in. */
function isRejection(cause: unknown): boolean {
  const { code } = cause as { readonly code?: unknown }
  return code === 'EENVELOPE' || code === 'EMESSAGE'
}

interface KeyProblem {
  readonly frame: Frame
  readonly key: ActiveKeyRow
  readonly alert: KeyAlert
}

function problemEmail(
  { merchantId, email, language, role }: AlertRecipient,
  problem: KeyProblem,
  options: AlertOptions,
): Email {
  const { key, alert } = problem
  const { store: head } = problem.frame
  const frame = { ...problem.frame, ...localizationFor(language), store: head && { ...head, role } }
  const { emails: texts } = frame.texts
  const { url } = options.services.origins
  const store = frame.store?.name ?? ''
  const { subject, sentence } = alertText(frame, key, alert)
  const unsubscribeUrl = `${url}/mute/${options.services.muteTokens.make({ merchantId, keyId: key.id })}`
  const log = `${url}${storePaths(frame.store?.id ?? '').keyUsage(key.id)}`
  const text = [
    sentence,
    texts.facts(store, `${key.name} (${key.prefix}…${key.lastFour})`),
    texts.log(log),
    texts.foot(frame.store?.timeZone ?? 'UTC', unsubscribeUrl),
  ].join('\n\n')
  return { to: email, subject: texts.subject(store, subject), text: `${text}\n`, unsubscribeUrl }
}

/** Returns the texts in the merchant's language; in English if the merchant chose none. */
function localizationFor(language: string | null) {
  return localizationIn(findLanguage(language) ?? 'en')
}

/** Returns the frame that the sentences of pages need, in the store's time zone. */
function frameOf(
  { id, name }: RegisteredStore,
  { timeZone, now, services }: { timeZone: string; now: Date } & Pick<AlertOptions, 'services'>,
): Frame {
  // Each email sets the role of its recipient.
  const store = { id, name, status: 'ready', role: 'viewer', timeZone } as const
  const none = {
    title: '',
    path: '/',
    theme: 'system',
    viewer: null,
    section: null,
    notice: null,
    formToken: () => '',
  } as const
  return { ...none, ...localizationIn('en'), store, now, apiUrl: services.apiUrl }
}
