// Texts about the tool of a key: one sentence on Settings > API, which is also in emails.

import { type Html, html, NOTHING } from '../../ui/html.ts'
import type { Duration, Format } from '../format.ts'
import { common } from './common.ts'

export const keyHealth = (format: Format) => {
  const { count, duration } = format
  const { requests, rows, every } = common(format)
  return {
    overLimit: (rejected: number) => html` ${requests(rejected)} over the limit in 24 hours.`,
    endsIn: (left: Duration) => html` The key ends in ${duration(left)}. Replace it before then.`,
    endsInForViewer: (left: Duration) => html` The key ends in ${duration(left)}.`,
    requestLog: (name: string) => html`Request log<span class="visually-hidden"> of ${name}</span>`,
    off: (time: Html) => html`<strong>Turned off</strong> on ${time}. The API rejects the tool’s requests.`,
    unused: html`<strong>Not used yet.</strong>`,
    putIntoTool: html` Put the key into the tool.`,
    imported: html`<strong>Rejected.</strong> An imported store has no data here.`,
    generating: html`<strong>Waiting.</strong> The key works as soon as the store is ready.`,
    unreadable: html`<strong>Unknown.</strong> We can’t read the requests of this key right now.`,
    failing: (failed: number, since: Html, last: { readonly code: string; readonly endpoint: string } | null) => {
      const error =
        last === null ? NOTHING : html`, the last one with <code>${last.code}</code> for <code>${last.endpoint}</code>`
      return html`<strong>Gets only errors:</strong> ${requests(failed)} since ${since}${error}.`
    },
    idsOf: (list: string) => `IDs of ${list}`,
    reading: (list: string, read: number) => html`<strong>Reads ${list} now:</strong> ${rows(read)} so far.`,
    stopped: (at: { readonly list: string; readonly rows: number; readonly ofRows: number | null }, time: Html) =>
      html`<strong>Stopped</strong> at ${count(at.rows)}${at.ofRows === null ? '' : ` of about ${count(at.ofRows)}`} ${at.list}, on ${time}.`,
    silent: (silence: Duration, interval: Duration) =>
      html`<strong>Silent for ${duration(silence)},</strong> usually ${every(interval)}.`,
    idle: (lastRequest: Html) => html`<strong>Idle,</strong> last request ${lastRequest}.`,
    inUse: (lastRequest: Html) => html`<strong>In use,</strong> last request ${lastRequest}.`,
    upToDate: (lastRequest: Html, interval: Duration) =>
      html`<strong>Up to date,</strong> last request ${lastRequest}, usually ${every(interval)}.`,
  }
}

export type KeyHealthTexts = ReturnType<typeof keyHealth>
