import { html } from '../../ui/html.ts'
import type { KeyUsageTexts } from '../en/key-usage.ts'
import type { Format } from '../format.ts'
import { dative } from './dative.ts'

export const keyUsage = (format: Format): KeyUsageTexts => {
  return {
    neverUsed: 'Noch nie verwendet',
    lastUsed: (time) => html`Zuletzt verwendet: ${time}`,
    turnedOff: (time) => html`Ausgeschaltet am ${time}`,
    rename: 'Umbenennen',
    changePermissions: 'Rechte ändern',
    emails: {
      title: 'E-Mails',
      on: 'Sie bekommen eine E-Mail, wenn dieses Tool nur Fehler bekommt, mitten in einer Liste abbricht, zu seinen üblichen Zeiten nichts anfragt oder das Anfragelimit überschreitet. Sie bekommen auch eine, bevor der Schlüssel abläuft.',
      off: 'Sie bekommen keine E-Mails zu diesem Schlüssel, außer wenn er öffentlich gefunden wird.',
      turnOff: 'E-Mails zu diesem Schlüssel abbestellen',
      turnOn: 'E-Mails senden',
    },
    syncs: {
      title: 'Abrufe',
      note: 'Jede Zeile ist eine Liste, die das Tool Seite für Seite gelesen hat. „Abgebrochen“ heißt, dass das Tool das Ende nicht erreicht hat.',
      columns: {
        list: 'Liste',
        status: 'Status',
        started: 'Beginn',
        lastPage: 'Letzte Seite',
        pages: 'Seiten',
        rows: 'Zeilen',
      },
      status: { finished: 'Fertig', 'in progress': 'Läuft', stopped: 'Abgebrochen' },
      empty: {
        heading: 'Noch keine Abrufe',
        active: 'Wenn das Tool eine Liste Seite für Seite liest, erscheint hier sein Fortschritt.',
        revoked: 'Dieser Schlüssel hat in letzter Zeit keine Liste gelesen.',
      },
    },
    log: {
      title: 'Anfrageprotokoll',
      note: (retained) =>
        `Jede Zeile fasst die Anfragen einer Minute mit demselben Endpunkt und Ergebnis zusammen. Zeilen werden nach ${dative(retained, format)} gelöscht. Das Protokoll enthält keine Kundendaten.`,
      until: 'Bis',
      untilProblem: 'Geben Sie Datum und Uhrzeit ein, zum Beispiel 21.11.2026, 03:00.',
      endpoint: 'Endpunkt',
      allEndpoints: 'Alle Endpunkte',
      show: 'Ergebnis',
      allRequests: 'Alle Anfragen',
      errorsOnly: 'Nur Fehler',
      apply: 'Anwenden',
      caption: 'Anfrageprotokoll, neueste zuerst',
      columns: {
        lastRequest: 'Letzte Anfrage',
        endpoint: 'Endpunkt',
        status: 'Status',
        requests: 'Anfragen',
        rows: 'Zeilen',
        slowest: 'Langsamste',
      },
      lastRequestId: (id) => html`ID der letzten Anfrage: <code>${id}</code>`,
      pages: 'Seiten des Protokolls',
      newest: 'Neueste Anfragen',
      older: 'Ältere Anfragen',
      noErrors: 'Keine Fehler',
      noRequests: 'Keine Anfragen',
      noMatches: 'Im Protokoll sind keine passenden Anfragen.',
      showNewest: 'Neueste Anfragen anzeigen',
      noRequestsIn: (retained) => `Keine Anfragen in ${dative(retained, format)}`,
      revoked: (time) => html`Dieser Schlüssel wurde widerrufen: ${time}. Die API lehnt Anfragen damit ab.`,
      unused: 'Tragen Sie den Schlüssel in ein Tool ein, und starten Sie es. Seine Anfragen erscheinen hier.',
      seeRecipes: 'Vorlagen ansehen',
    },
  }
}
