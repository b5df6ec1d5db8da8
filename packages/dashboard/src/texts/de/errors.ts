import type { ErrorsTexts } from '../en/errors.ts'

export const errors = (): ErrorsTexts => ({
  notFound: {
    heading: 'Seite nicht gefunden',
    text: 'Der Link ist vielleicht veraltet, oder Ihr Konto hat keinen Zugriff auf diesen Shop.',
  },
  forbidden: {
    heading: 'Ihre Rolle erlaubt das nicht',
    changeKeys:
      'Sie sind Betrachter dieses Shops und können seine Schlüssel nicht ändern. Es wurde nichts geändert. Die Liste der Mitglieder sagt, wer Admin oder Entwickler ist und helfen kann.',
    changeMembers: (role) =>
      `Sie sind ${role} dieses Shops und können seine Mitglieder nicht ändern. Es wurde nichts geändert. Die Liste der Mitglieder sagt, wer Admin ist und helfen kann.`,
    data: 'Sie sind Betrachter dieses Shops. Betrachter sehen seine Schlüssel und deren Nutzung, aber keine Kundendaten. Ein Admin des Shops kann Ihre Rolle ändern.',
    goToMembers: 'Mitglieder ansehen',
    goToUsage: 'Nutzung ansehen',
  },
  secondFactor: {
    heading: 'Dieser Shop verlangt die Zwei-Faktor-Anmeldung',
    text: 'Ein Admin des Shops hat das festgelegt. Schalten Sie die Zwei-Faktor-Anmeldung für Ihr Konto ein, und öffnen Sie den Shop noch einmal. Wenn Sie einen Passkey haben oder die Anmeldung Ihrer Plattform verwenden, melden Sie sich ab und damit wieder an.',
    openAccount: 'Zwei-Faktor-Anmeldung einschalten',
  },
  repeatedForm: {
    heading: 'Dieses Formular wurde schon gesendet',
    text: 'Wir haben es einmal verarbeitet und nicht wiederholt. Öffnen Sie die Seite, um das Ergebnis zu sehen.',
  },
  rejectedForm: {
    heading: 'Dieses Formular ist abgelaufen',
    text: 'Die Seite war zu lange geöffnet, oder Sie haben sich inzwischen neu angemeldet. Es wurde nichts geändert. Öffnen Sie die Seite noch einmal, und senden Sie das Formular erneut.',
  },
  unreadableForm: {
    heading: 'Wir konnten dieses Formular nicht lesen',
    text: {
      400: 'Es wurde nichts geändert, denn das Formular kam unvollständig an. Öffnen Sie die Seite noch einmal, und senden Sie das Formular erneut.',
      413: 'Es wurde nichts geändert, denn das Formular ist zu lang. Öffnen Sie die Seite noch einmal, kürzen Sie die Felder, und senden Sie das Formular erneut.',
      415: 'Es wurde nichts geändert, denn das ist kein Formular des Dashboards. Öffnen Sie die Seite noch einmal, und senden Sie ihr Formular.',
    },
  },
  internal: {
    heading: 'Auf unserer Seite ist etwas schiefgegangen',
    databaseUnreachable:
      'Unsere Datenbank ist nicht erreichbar. Bis das behoben ist, können auch die Anfragen Ihrer Tools fehlschlagen, mit Status 502. Ihre Schlüssel bleiben gültig.',
    page: 'Beim Laden dieser Seite gab es einen internen Fehler. An Ihren Schlüsseln hat sich nichts geändert.',
    form: 'Beim Verarbeiten Ihres Formulars gab es einen internen Fehler.',
    checkBeforeResend:
      'Ihre Änderung ist vielleicht gespeichert. Sehen Sie nach, bevor Sie das Formular noch einmal senden.',
    tryAgainLater: 'Versuchen Sie es in einer Minute noch einmal.',
    requestId: (requestId) =>
      `Wenn der Fehler bleibt, nennen Sie dem Support Ihrer Plattform diese Anfrage-ID: ${requestId}`,
  },
  signIn: 'Anmelden',
  goToStores: 'Zu Ihren Shops',
  openPage: 'Seite öffnen',
  openPageAgain: 'Seite noch einmal öffnen',
  tryAgain: 'Noch einmal versuchen',
})
