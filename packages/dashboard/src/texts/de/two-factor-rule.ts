import type { TwoFactorRuleTexts } from '../en/two-factor-rule.ts'
import type { Format } from '../format.ts'

export const twoFactorRule = ({ plural }: Format): TwoFactorRuleTexts => ({
  title: 'Zwei-Faktor-Anmeldung aller Mitglieder',
  note: 'Mitglieder ohne Zwei-Faktor-Anmeldung, Passkey oder die Anmeldung Ihrer Plattform können einen Shop nicht öffnen, der das verlangt.',
  required: 'Verlangt',
  optional: 'Freiwillig',
  change: 'Ändern',
  leadOptional: 'Sie können die Zwei-Faktor-Anmeldung von allen Mitgliedern dieses Shops verlangen.',
  leadRequired: 'Alle Mitglieder dieses Shops brauchen die Zwei-Faktor-Anmeldung.',
  effects: 'Was passiert',
  ownFactor: 'Ihre Zwei-Faktor-Anmeldung',
  ownFirst:
    'Sie haben sich nur mit Ihrem Passwort oder einem Link angemeldet. Schalten Sie zuerst die Zwei-Faktor-Anmeldung für Ihr Konto ein, oder melden Sie sich mit einem Passkey oder über Ihre Plattform an.',
  openAccount: 'Ihr Konto öffnen',
  everyoneHas:
    'Alle Mitglieder haben die Zwei-Faktor-Anmeldung, einen Passkey oder die Anmeldung Ihrer Plattform. Wenn sie sich ohne das anmelden, können sie den Shop nicht öffnen.',
  without: (members) =>
    plural(members, {
      one: '# Mitglied kann den Shop erst wieder öffnen, wenn es die Zwei-Faktor-Anmeldung eingeschaltet hat:',
      other: '# Mitglieder können den Shop erst wieder öffnen, wenn sie die Zwei-Faktor-Anmeldung eingeschaltet haben:',
    }),
  keysStay: 'Die Schlüssel und ihre Tools funktionieren weiter.',
  turnOn: 'Zwei-Faktor-Anmeldung verlangen',
  turnOffEffect:
    'Wenn Sie die Zwei-Faktor-Anmeldung nicht mehr verlangen, öffnet bei manchen Mitgliedern ein gestohlenes Passwort allein diesen Shop.',
  signInAgain:
    'Um das zu bestätigen, melden Sie sich ab. Melden Sie sich mit einem Code, einem Passkey oder über Ihre Plattform wieder an, und öffnen Sie diese Seite innerhalb von zehn Minuten.',
  turnOff: 'Nicht mehr verlangen',
  turnedOn: 'Alle Mitglieder brauchen jetzt die Zwei-Faktor-Anmeldung.',
  turnedOff: 'Die Zwei-Faktor-Anmeldung wird nicht mehr verlangt.',
})
