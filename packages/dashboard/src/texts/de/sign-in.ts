import { html } from '../../ui/html.ts'
import type { SignInTexts } from '../en/sign-in.ts'
import type { Format } from '../format.ts'

export const signIn = ({ plural }: Format): SignInTexts => ({
  title: 'Anmelden',
  lead: 'Erstellen Sie API-Schlüssel für Ihre Tools, und sehen Sie, wie sie verwendet werden.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  button: 'Anmelden',
  noPassword: 'Kein Passwort, oder vergessen? Bitten Sie den Support Ihrer Plattform um einen Anmeldelink.',
  link: {
    title: 'Mit diesem Link anmelden',
    lead: 'Der Link funktioniert einmal und läuft bald ab. Wenn Sie Ihr Passwort vergessen haben, verwenden Sie den Link, und legen Sie dann innerhalb von zehn Minuten unter „Ihr Konto“ ein neues fest.',
    otherSession: (email) =>
      html`In diesem Browser ist <strong>${email}</strong> angemeldet. Wenn Sie den Link verwenden, wird dieses Konto abgemeldet.`,
    stay: (email) => `Als ${email} angemeldet bleiben`,
  },
  redirect: {
    title: 'Sie werden weitergeleitet…',
    lead: (host) => `Sie melden sich bei ${host} an. Danach kommen Sie hierher zurück.`,
    button: 'Weiter',
  },
  problems: {
    wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    late: 'Ihre Sitzung ist abgelaufen, deshalb wurde das Formular nicht verarbeitet. Melden Sie sich an, um fortzufahren. Wenn Sie gerade Ihr Passwort geändert haben, verwenden Sie das neue.',
    linkUsed:
      'Dieser Link wurde schon verwendet oder ist abgelaufen. Bitten Sie den Support Ihrer Plattform um einen neuen.',
    rateLimited: (seconds) => {
      const wait =
        seconds < 90
          ? plural(seconds, { one: '# Sekunde', other: '# Sekunden' })
          : plural(Math.ceil(seconds / 60), { one: '# Minute', other: '# Minuten' })
      return `Zu viele Versuche. Warten Sie ${wait}, und versuchen Sie es dann noch einmal. Oder bitten Sie den Support Ihrer Plattform um einen Anmeldelink.`
    },
    singleSignOn: {
      unknown: 'Kein Konto hat hier Ihre bestätigte E-Mail-Adresse. Wenden Sie sich an den Support Ihrer Plattform.',
      declined: 'Sie haben die Anmeldung abgebrochen und sind nicht angemeldet.',
      broken: 'Die Anmeldung wurde nicht abgeschlossen. Versuchen Sie es noch einmal.',
      unreachable:
        'Single Sign-on antwortet gerade nicht. Versuchen Sie es in einer Minute noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
    },
  },
})
