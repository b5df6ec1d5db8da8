import { html } from '../../ui/html.ts'
import type { KeysTexts } from '../en/keys.ts'
import type { Format } from '../format.ts'

export const keys = ({ plural, duration }: Format): KeysTexts => ({
  title: 'API',
  lead: 'Jedes Tool, das diesen Shop liest, hat seinen eigenen Schlüssel. Sie sehen, ob ein Tool funktioniert, und können seinen Schlüssel widerrufen, ohne die anderen zu stören.',
  leadForViewer: 'Jedes Tool, das diesen Shop liest, hat seinen eigenen Schlüssel. So sehen Sie, ob es funktioniert.',
  unconfirmed: (name, createdHref) =>
    html`Sie haben noch nicht bestätigt, dass Sie den neuen Schlüssel <strong>${name}</strong> kopiert haben. Bis zehn Minuten nach dem Erstellen können Sie ihn <a href="${createdHref}">noch einmal anzeigen</a>.`,
  cardTitle: 'Schlüssel',
  count: (keys, keysMax) => `${keys} von ${plural(keysMax, { one: '# Schlüssel', other: '# Schlüsseln' })}`,
  empty: {
    heading: 'Noch keine Schlüssel',
    text: 'Erstellen Sie unten Ihren ersten Schlüssel.',
    viewer: 'Ein Admin oder Entwickler dieses Shops kann Schlüssel erstellen.',
    imported: 'Die API liefert keine Daten eines importierten Shops. Deshalb braucht er keine Schlüssel.',
  },
  replacedBy: (key, end) =>
    html`, ersetzt durch ${key}${end === null ? '' : `, läuft ${duration(end)} nach der ersten Verwendung des neuen Schlüssels ab`}`,
  unused: {
    sinceCreation: (days) =>
      plural(days, {
        one: 'Vor # Tag erstellt und noch nie verwendet.',
        other: 'Vor # Tagen erstellt und noch nie verwendet.',
      }),
    sinceLastUse: (days) =>
      plural(days, { one: 'Seit # Tag nicht verwendet.', other: 'Seit # Tagen nicht verwendet.' }),
    advice: (revokeHref, name) =>
      html`<a href="${revokeHref}">Widerrufen Sie ihn<span class="visually-hidden">: ${name}</span></a>, wenn kein Tool ihn braucht.`,
  },
  requests24h: (count) => plural(count, { one: '# Anfrage in 24 Stunden', other: '# Anfragen in 24 Stunden' }),
  created: (time, creator) => html`Erstellt ${time}${creator === null ? '' : ` von ${creator}`}`,
  replace: 'Ersetzen',
  turnOff: 'Ausschalten',
  turnOn: 'Einschalten',
  revoke: 'Widerrufen',
  revokeOld: 'Alten Schlüssel widerrufen',
  full: (keysMax) =>
    `Sie haben ${keysMax} aktive Schlüssel. Mehr sind nicht möglich. Um einen neuen zu erstellen, widerrufen Sie einen Schlüssel, den kein Tool braucht.`,
  leastUsed: (name, requests, lastUsed) =>
    html` Am längsten nicht verwendet wurde <strong>${name}</strong>: ${plural(requests, { one: '# Anfrage', other: '# Anfragen' })} in 24 Stunden, zuletzt verwendet: ${lastUsed ?? 'noch nie'}.`,
  revokedKeys: 'Widerrufene Schlüssel',
  columns: { name: 'Name', revoked: 'Widerrufen', lastUsed: 'Zuletzt verwendet', created: 'Erstellt' },
  status: { active: 'Aktiv', off: 'Aus', beingReplaced: 'Wird ersetzt', revoked: 'Widerrufen' },
  notices: {
    revoked: (name) =>
      `„${name}“ ist widerrufen. Ab jetzt lehnt die API jede Anfrage mit diesem Schlüssel ab. Ihre anderen Schlüssel funktionieren weiter.`,
    turnedOff: (name) =>
      `„${name}“ ist ausgeschaltet. Bis Sie ihn wieder einschalten, lehnt die API die Anfragen des Tools ab.`,
    turnedOn: (name) => `„${name}“ ist eingeschaltet. Ab jetzt nimmt die API Anfragen mit diesem Schlüssel wieder an.`,
    limitReached: (name, keysMax) =>
      `„${name}“ wurde nicht erstellt, denn Sie haben schon ${keysMax} aktive Schlüssel. Mehr sind nicht möglich.`,
    nothingReplaced: 'Es wurde nichts geändert, denn Sie haben schon die Höchstzahl aktiver Schlüssel.',
    alreadyReplaced: (name) => `„${name}“ wird bereits ersetzt. Es wurde kein weiterer Schlüssel erstellt.`,
    formChanged: (name, before) =>
      `Es wurde kein Schlüssel erstellt. Mit diesem Formular haben Sie schon „${before}“${name === before ? ' mit anderen Einschränkungen' : ''} erstellt. Senden Sie es noch einmal, um „${name}“ zu erstellen.`,
  },
})
