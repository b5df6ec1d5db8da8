import { html, NOTHING } from '../../ui/html.ts'
import type { KeyHealthTexts } from '../en/key-health.ts'
import type { Format } from '../format.ts'
import { common } from './common.ts'
import { dative } from './dative.ts'

export const keyHealth = (format: Format): KeyHealthTexts => {
  const { count } = format
  const { requests, rows, every } = common(format)
  return {
    overLimit: (rejected) => html` ${requests(rejected)} über dem Limit in 24 Stunden.`,
    endsIn: (left) => html` Der Schlüssel läuft in ${dative(left, format)} ab: Ersetzen Sie ihn vorher.`,
    endsInForViewer: (left) => html` Der Schlüssel läuft in ${dative(left, format)} ab.`,
    requestLog: (name) => html`Anfrageprotokoll<span class="visually-hidden"> von ${name}</span>`,
    off: (time) => html`<strong>Ausgeschaltet</strong> am ${time}. Die API lehnt die Anfragen des Tools ab.`,
    unused: html`<strong>Noch nicht verwendet.</strong>`,
    putIntoTool: html` Tragen Sie den Schlüssel in das Tool ein.`,
    imported: html`<strong>Abgelehnt.</strong> Ein importierter Shop hat hier keine Daten.`,
    generating: html`<strong>Wartet.</strong> Der Schlüssel funktioniert, sobald der Shop bereit ist.`,
    unreadable: html`<strong>Unbekannt.</strong> Wir können die Anfragen dieses Schlüssels gerade nicht lesen.`,
    failing: (failed, since, last) => {
      const error =
        last === null ? NOTHING : html`, zuletzt <code>${last.code}</code> bei <code>${last.endpoint}</code>`
      return html`<strong>Bekommt nur Fehler:</strong> ${requests(failed)} seit ${since}${error}.`
    },
    idsOf: (list) => `IDs der ${list}`,
    reading: (list, read) => html`<strong>Liest gerade ${list}:</strong> bisher ${rows(read)}.`,
    stopped: (at, time) =>
      html`<strong>Abgebrochen</strong> nach ${at.ofRows === null ? rows(at.rows) : `${count(at.rows)} von etwa ${rows(at.ofRows)}`} (${at.list}), zuletzt am ${time}.`,
    silent: (silence, interval) =>
      html`<strong>Still seit ${dative(silence, format)},</strong> normalerweise ${every(interval)} aktiv.`,
    idle: (lastRequest) => html`<strong>Inaktiv,</strong> letzte Anfrage ${lastRequest}.`,
    inUse: (lastRequest) => html`<strong>In Gebrauch,</strong> letzte Anfrage ${lastRequest}.`,
    upToDate: (lastRequest, interval) =>
      html`<strong>Aktuell,</strong> letzte Anfrage ${lastRequest}, normalerweise ${every(interval)}.`,
  }
}
