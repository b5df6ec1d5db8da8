import type { EmailsTexts } from '../en/emails.ts'
import type { Format } from '../format.ts'
import { dative } from './dative.ts'

export const emails = (format: Format): EmailsTexts => ({
  subject: (store, problem) => `${store}: ${problem}`,
  failing: (name) => `${name} bekommt nur Fehler`,
  stopped: (name) => `${name} hat mitten in einer Liste abgebrochen`,
  silent: (name) => `${name} sendet keine Anfragen mehr`,
  other: (name) => `${name} hat ein Problem`,
  sentence: (name, health) => `${name}: ${health}`,
  overLimit: {
    subject: (name) => `${name} sendet zu viele Anfragen`,
    sentence: (name) =>
      `${name} war in dieser und in der vorigen Stunde über dem Anfragelimit. Nach einer Antwort mit Status 429 muss das Tool warten.`,
  },
  ending: {
    subject: (name) => `Der Schlüssel von ${name} läuft bald ab`,
    sentence: (name, left) =>
      `Der Schlüssel von ${name} läuft in ${dative(left, format)} ab. Ersetzen Sie ihn vorher, damit das Tool weiter funktioniert.`,
    sentenceForViewer: (name, left) =>
      `Der Schlüssel von ${name} läuft in ${dative(left, format)} ab. Bitten Sie einen Admin des Shops, ihn vorher zu ersetzen, damit das Tool weiter funktioniert.`,
  },
  facts: (store, key) => `Shop: ${store}\nSchlüssel: ${key}`,
  log: (url) => `Sehen Sie nach, was das Tool getan hat:\n${url}`,
  foot: (timeZone, muteUrl) =>
    `Zeiten sind in der Zeitzone ${timeZone}. Sie bekommen diese E-Mail höchstens einmal am Tag. Um keine E-Mails mehr zu diesem Schlüssel zu bekommen, öffnen Sie:\n${muteUrl}`,
  leaked: {
    subject: (store, name) => `${store}: Der Schlüssel von ${name} war öffentlich und ist widerrufen`,
    sentence: (name) =>
      `Der Schlüssel von ${name} wurde öffentlich gefunden. Wer ihn gesehen hat, konnte die Daten Ihres Shops lesen. Deshalb wurde er widerrufen, und das Tool bekommt keine Daten mehr.`,
    facts: (store, key, place) => `Shop: ${store}\nSchlüssel: ${key}\nFundort: ${place}`,
    createKey: (url) => `Erstellen Sie einen neuen Schlüssel, und tragen Sie ihn im Tool ein:\n${url}`,
    askAdmin: (url) =>
      `Bitten Sie einen Admin des Shops um einen neuen Schlüssel. Die Mitglieder finden Sie hier:\n${url}`,
    seeUsage: (url) => `Sehen Sie nach, was mit dem alten Schlüssel gelesen wurde:\n${url}`,
    removeKey:
      'Löschen Sie den alten Schlüssel am Fundort, damit ihn niemand mehr ausprobiert. Bewahren Sie den neuen in einem Geheimnisspeicher auf, nicht in einer Datei eines Repositorys.',
    unknownPlace: 'in der Meldung nicht angegeben',
  },
  leakedToken: {
    subject: (store) => `${store}: Ein Verzeichnis-Token war öffentlich und ist widerrufen`,
    sentence:
      'Ein Token für das Verzeichnis Ihrer Firma wurde öffentlich gefunden. Wer es gesehen hat, konnte Mitglieder Ihres Shops hinzufügen und entfernen. Deshalb wurde es widerrufen.',
    facts: (store, token, place) => `Shop: ${store}\nToken: ${token}\nFundort: ${place}`,
    checkMembers: (url) => `Prüfen Sie, wer Mitglied des Shops ist:\n${url}`,
    seeActivity: (url) => `Sehen Sie nach, was die Tokens des Verzeichnisses geändert haben:\n${url}`,
    createToken: (url) => `Erstellen Sie ein neues Token, und tragen Sie es im Verzeichnis ein:\n${url}`,
    removeToken: 'Löschen Sie das alte Token am Fundort.',
    unknownPlace: 'in der Meldung nicht angegeben',
  },
  directoryEnded: {
    subject: (store) => `${store}: Ihr Verzeichnis kann keine Mitglieder mehr hinzufügen und entfernen`,
    sentence:
      'Das letzte Token für das Verzeichnis Ihrer Firma wurde widerrufen, oder die Person, die es erstellt hat, ist nicht mehr Admin. Wer Ihre Firma jetzt verlässt, behält den Zugriff auf den Shop.',
    facts: (store, token) => `Shop: ${store}\nToken: ${token}`,
    seeActivity: (url) => `Sehen Sie nach, wer das Token beendet hat:\n${url}`,
    createToken: (url) => `Erstellen Sie ein neues Token, und tragen Sie es im Verzeichnis ein:\n${url}`,
    checkMembers: (url) =>
      `Wenn Sie das Verzeichnis nicht mehr verwenden, entfernen Sie ausgeschiedene Personen hier:\n${url}`,
  },
  mute: {
    heading: 'E-Mails zu diesem Schlüssel abbestellen?',
    text: 'E-Mails zu Ihren anderen Schlüsseln bekommen Sie weiterhin. Wird dieser Schlüssel öffentlich gefunden, bekommen Sie trotzdem eine E-Mail.',
    button: 'E-Mails abbestellen',
    done: 'Sie bekommen keine E-Mails mehr zu diesem Schlüssel',
    doneText:
      'Um sie wieder zu bekommen, melden Sie sich an, öffnen Sie den Schlüssel, und wählen Sie „E-Mails senden“.',
    openDashboard: 'Dashboard öffnen',
  },
})
