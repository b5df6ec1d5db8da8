import { html } from '../../ui/html.ts'
import type { DataTexts } from '../en/data.ts'
import type { Format } from '../format.ts'

export const data = ({ count }: Format): DataTexts => ({
  title: 'Daten',
  lead: 'Die Daten, die Ihre Tools von der API bekommen.',
  csv: (file) => `${file} als CSV`,
  lists: 'Listen',
  order: {
    newest: { now: 'Neueste zuerst', other: 'Älteste zuerst anzeigen' },
    oldest: { now: 'Älteste zuerst', other: 'Neueste zuerst anzeigen' },
  },
  findBy: (fields) => `Suche nach ${fields}`,
  find: 'Suchen',
  caseSensitive: 'Die Suche nach einer E-Mail-Adresse oder SKU unterscheidet Groß- und Kleinschreibung.',
  apiRequest: 'API-Anfrage',
  apiRequestOldestFirst: 'API-Anfrage (liefert die ältesten Zeilen zuerst)',
  searchedSince: (time) => html`Durchsucht wurden Zeilen, die seit ${time} angelegt wurden.`,
  searchedUntil: (time) => html`Durchsucht wurden Zeilen, die bis ${time} angelegt wurden.`,
  noMatchesYet: 'Bisher keine Treffer',
  keepSearching: 'Weitersuchen',
  noMatches: { heading: 'Keine Treffer', text: 'Prüfen Sie die Schreibweise, oder blättern Sie durch die Liste.' },
  showAll: 'Alle anzeigen',
  firstPage: 'Erste Seite',
  loadMore: 'Mehr laden',
  noRows: (list) => ({
    heading: `Noch keine ${list}`,
    text: `Sobald Ihr Shop ${list} hat, erscheinen sie hier.`,
  }),
  row: {
    summary: 'Überblick',
    amounts: 'Beträge',
    firstOf: (shown, all) => `Die ersten ${count(shown)} von ${count(all)} Zeilen. Das JSON enthält alle.`,
    json: 'JSON der Zeile',
    note: (apiPath) => html`Die Antwort auf <code>GET ${apiPath}</code>.`,
    download: 'JSON herunterladen',
    isLarge: (size) =>
      `Diese Zeile ist groß (${size}). Die Seite zeigt nur den Anfang. Laden Sie das JSON herunter, um alles zu sehen.`,
  },
  problems: {
    unreadable: 'Die Daten dieses Shops lassen sich gerade nicht lesen. Versuchen Sie es in einer Minute noch einmal.',
    unreadableHeading: 'Diese Daten lassen sich gerade nicht anzeigen',
    backToList: 'Zurück zur Liste',
    imported:
      'Dieser Shop wurde importiert und liegt auf einem anderen System. Seine Daten lassen sich hier nicht exportieren.',
    generating:
      'Dieser Shop wird noch angelegt und hat noch keine Daten. Versuchen Sie es in einer Minute noch einmal.',
    tooManyDownloads:
      'Es laufen zu viele Downloads. Warten Sie, bis einer davon fertig ist, und versuchen Sie es dann noch einmal.',
    newerList: (list, since) =>
      `${list} gibt es ab Schemaversion ${since}. Dieser Shop hat eine ältere Version. Deshalb ist die Liste hier und in der API leer.`,
    notSearchable: (_, fields) =>
      `Suchen Sie nach ${fields}. Eine ID sieht so aus: 3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b.`,
    notFound: (_, fields) => `Die Suche nach ${fields} hat in diesem Shop nichts gefunden.`,
  },
})
