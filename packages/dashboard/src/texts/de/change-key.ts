import { html } from '../../ui/html.ts'
import type { ChangeKeyTexts } from '../en/change-key.ts'
import type { Format } from '../format.ts'

export const changeKey = ({ duration }: Format): ChangeKeyTexts => ({
  facts: {
    title: 'Schlüssel',
    name: 'Name',
    key: 'Schlüssel',
    limits: 'Einschränkungen',
    lastUsed: 'Zuletzt verwendet',
    requests24h: 'Anfragen in 24 Stunden',
    created: 'Erstellt',
    createdBy: (time, creator) => html`${time} von ${creator}`,
  },
  replace: {
    title: 'Diesen Schlüssel ersetzen?',
    lead: (name) =>
      html`Sie bekommen jetzt einen neuen Schlüssel für <strong>${name}</strong>, mit denselben Einschränkungen und ohne Ablaufdatum. Wählen Sie, wann der alte abläuft. Sie können den alten auch vorher widerrufen.`,
    leadFull: (name) =>
      html`Sie haben die Höchstzahl aktiver Schlüssel erreicht. Deshalb können Sie für <strong>${name}</strong> noch keinen neuen erstellen.`,
    ends: {
      legend: 'Der alte Schlüssel läuft ab',
      atOnce: 'Sofort: Das Tool steht still, bis es den neuen Schlüssel hat',
      after: (time) => `${duration(time)} nach der ersten Verwendung des neuen Schlüssels`,
    },
    personalData: {
      legend: 'Personenbezogene Daten',
      with: 'Der neue Schlüssel bekommt personenbezogene Daten',
      without: 'Der neue Schlüssel lässt personenbezogene Daten weg',
      hint: 'Wenn Sie das ändern, löschen Sie die Kopie des Tools, damit es alles neu liest.',
    },
    create: 'Neuen Schlüssel erstellen',
    others: {
      title: 'Zuerst einen anderen Schlüssel widerrufen',
      note: (name) =>
        html`Widerrufen Sie einen Schlüssel, den kein Tool braucht. Danach können Sie <strong>${name}</strong> ersetzen, während sein Tool weiterläuft.`,
      caption: 'Andere Schlüssel, die am längsten unbenutzten zuerst',
      actions: 'Aktionen',
    },
    atOnce: {
      title: 'Wenn Sie jeden Schlüssel brauchen',
      warning: 'Das widerruft den alten Schlüssel sofort. Das Tool steht still, bis es den neuen Schlüssel hat.',
      button: 'Alten Schlüssel widerrufen und neuen erstellen',
    },
  },
  revoke: {
    title: 'Diesen Schlüssel widerrufen?',
    lead: (name) =>
      html`Das Tool, das <strong>${name}</strong> verwendet, funktioniert ab der nächsten Anfrage nicht mehr. Sie können das nicht rückgängig machen.`,
    button: 'Schlüssel widerrufen',
    thenReplace: (name, key) => html`Danach können Sie <strong>${name}</strong> (${key}) ersetzen.`,
  },
  turnOff: {
    title: 'Diesen Schlüssel ausschalten?',
    lead: (name) =>
      html`Das ist der Schlüssel <strong>${name}</strong>. Bis Sie ihn wieder einschalten, lehnt die API die Anfragen des Tools ab.`,
    note: 'Der Schlüssel behält seine Einschränkungen und sein Ablaufdatum und zählt weiter zu Ihren Schlüsseln.',
    button: 'Ausschalten',
  },
  permissions: {
    title: 'Rechte dieses Schlüssels ändern',
    lead: (name) =>
      html`Das Tool, das <strong>${name}</strong> verwendet, behält seinen Schlüssel. Die Änderung gilt ab seiner nächsten Anfrage.`,
    card: 'Rechte',
    personalData: {
      with: 'Dieser Schlüssel bekommt personenbezogene Daten.',
      without: 'Dieser Schlüssel lässt personenbezogene Daten weg.',
      why: 'Das lässt sich nicht ändern, weil die Kopie des Tools dann Zeilen mit und ohne personenbezogene Daten mischen würde.',
      replace: (href) => html`Sie können <a href="${href}">den Schlüssel ersetzen</a> und es dabei anders wählen.`,
      create: (href) => html`Sie können <a href="${href}">einen anderen Schlüssel erstellen</a>.`,
    },
    lessAccess:
      'Wenn Sie etwas wegnehmen, bekommt das Tool dafür einen Fehler. Seine Kopie behält die Zeilen, die es vorher gelesen hat.',
    moreAccess:
      'Wenn Sie etwas hinzufügen, müssen Sie es eventuell auch im Tool einstellen. Das Tool liest es dann vollständig.',
    button: 'Rechte speichern',
    stale:
      'Eine andere Person hat diesen Schlüssel geändert, seit Sie die Seite geöffnet haben. Deshalb wurde nichts gespeichert. Das Formular zeigt die Rechte, die der Schlüssel jetzt hat.',
  },
  rename: {
    title: 'Diesen Schlüssel umbenennen',
    lead: (name) => html`Für das Tool, das <strong>${name}</strong> verwendet, ändert sich nichts.`,
    button: 'Umbenennen',
  },
})
