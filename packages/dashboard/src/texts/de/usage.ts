import { html } from '../../ui/html.ts'
import type { UsageRange } from '../../usage/usage-ranges.ts'
import type { UsageTexts } from '../en/usage.ts'
import type { Format } from '../format.ts'

export const usage = ({ count, plural }: Format): UsageTexts => ({
  title: 'Nutzung',
  leadOfKey: (name, range) => html`Anfragen von <strong>${name}</strong> in den letzten ${DATIVE_RANGES[range]}.`,
  lead: (range) => `Anfragen aller Schlüssel in den letzten ${DATIVE_RANGES[range]}.`,
  unreadable: 'Wir können diese Anfragen gerade nicht lesen. Versuchen Sie es in einer Minute noch einmal.',
  showAllKeys: 'Alle Schlüssel anzeigen',
  createKey: 'Schlüssel erstellen',
  empty: {
    heading: 'Noch keine Anfragen',
    viewer: 'Wenn ein Tool einen Schlüssel verwendet, werden seine Anfragen hier gezählt.',
    text: 'Erstellen Sie einen Schlüssel, und tragen Sie ihn in ein Tool ein. Seine Anfragen werden hier gezählt.',
  },
  parts: {
    successful: 'Erfolgreich',
    clientErrors: 'Fehlerhafte Anfragen',
    rejected: 'Über dem Limit',
    failed: 'Fehlgeschlagen',
  },
  partNotes: {
    successful: 'Anfragen, die Daten geliefert haben',
    clientErrors: 'Falsche Parameter oder unbekannte IDs',
    rejected: 'Mehr, als das Anfragelimit erlaubt',
    failed: 'Fehler bei uns, oder der Shop war nicht bereit',
  },
  counted: {
    successful: (requests) => `${count(requests)} erfolgreich`,
    clientErrors: (requests) => plural(requests, { one: '# fehlerhafte Anfrage', other: '# fehlerhafte Anfragen' }),
    rejected: (requests) => `${count(requests)} über dem Limit`,
    failed: (requests) => `${count(requests)} fehlgeschlagen`,
  },
  all: 'Alle',
  chart: {
    title: { hour: 'Nach Stunde', day: 'Nach Tag' },
    note: (timeZone) => `Zeiten sind in der Zeitzone ${timeZone}.`,
    ranges: { '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage', '90d': '90 Tage' },
    rangesLabel: 'Zeitraum des Diagramms',
    keysHint: 'Mit den Pfeiltasten wechseln Sie zwischen den Balken.',
    showTable: 'Als Tabelle anzeigen',
    marks: 'Eine Markierung unter der Achse steht für Anfragen, die für den Balken zu wenige sind.',
    empty: {
      heading: (range) => `Keine Anfragen in den letzten ${DATIVE_RANGES[range]}`,
      text: 'Wenn ein Tool eine Anfrage sendet, wird sie hier gezählt.',
    },
    caption: { hour: 'Anfragen nach Stunde, neueste zuerst', day: 'Anfragen nach Tag, neueste zuerst' },
    column: { hour: 'Stunde', day: 'Tag' },
    summary: {
      hour: (periods, sums, most) =>
        `Anfragen ${plural(periods, { one: 'einer Stunde', other: 'von # Stunden' })}: ${sums}.${most} Die Tabelle darunter enthält jede Stunde.`,
      day: (periods, sums, most) =>
        `Anfragen ${plural(periods, { one: 'eines Tages', other: 'von # Tagen' })}: ${sums}.${most} Die Tabelle darunter enthält jeden Tag.`,
    },
    most: (period, requests) => ` Die meisten: ${count(requests)} (${period}).`,
  },
  byKey: 'Nach Schlüssel',
  byKeyNote: 'Wählen Sie einen Schlüssel, um seine Anfragen oben im Diagramm zu sehen.',
  key: 'Schlüssel',
  keyCaption: 'Anfragen nach Schlüssel, die meisten zuerst',
  details: 'Details',
  requestLog: 'Anfrageprotokoll',
  requestLogOf: (name) => `von ${name}`,
})

const DATIVE_RANGES: Readonly<Record<UsageRange, string>> = {
  '24h': '24 Stunden',
  '7d': '7 Tagen',
  '30d': '30 Tagen',
  '90d': '90 Tagen',
}
