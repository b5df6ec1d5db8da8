import type { TwoFactorTexts } from '../en/two-factor.ts'

export const twoFactor = (): TwoFactorTexts => ({
  title: 'Zwei-Faktor-Anmeldung',
  on: 'An',
  off: 'Aus',
  needsPassword: 'Codes einer App schützen die Anmeldung mit einem Passwort. Legen Sie zuerst ein Passwort fest.',
  platform: 'Wenn Sie sich bei Ihrer Plattform anmelden, entscheidet Ihre Plattform, ob sie einen Code verlangt.',
  noteOn: 'Nach Ihrem Passwort oder einem Anmeldelink geben Sie einen Code Ihrer App ein.',
  noteOff:
    'Nach Ihrem Passwort oder einem Anmeldelink geben Sie einen Code einer App auf Ihrem Handy ein. Ein gestohlenes Passwort allein reicht dann nicht zum Anmelden.',
  password: 'Ihr Passwort',
  newCodes: 'Neue Ersatzcodes',
  turnOff: 'Ausschalten',
  turnedOff: 'Die Zwei-Faktor-Anmeldung ist aus. Zum Anmelden reicht Ihr Passwort.',
  code: 'Code',
  setUp: {
    button: 'Einrichten',
    title: 'Zwei-Faktor-Anmeldung einrichten',
    lead: 'Verwenden Sie eine App, die Codes erzeugt, zum Beispiel einen Passwortmanager oder eine Authenticator-App.',
    scanTitle: '1. Fügen Sie das Konto Ihrer App hinzu',
    scanNote: 'Scannen Sie dieses Bild mit der App, oder geben Sie den Schlüssel ein.',
    picture: 'QR-Code mit dem Schlüssel darunter',
    key: 'Schlüssel',
    codeHint: 'Sechs Ziffern. Sie ändern sich alle 30 Sekunden.',
    turnOn: 'Einschalten',
    confirmTitle: '2. Geben Sie den Code ein, den die App zeigt',
    confirmNote: 'Ihre anderen Browser werden abgemeldet.',
    wrongCode:
      'Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten Code der App, und geben Sie diesen ein.',
  },
  recovery: {
    titleNew: 'Die Zwei-Faktor-Anmeldung ist an',
    titleRenewed: 'Ihre neuen Ersatzcodes',
    lead: 'Wenn Sie Ihr Handy verlieren, ersetzt ein Ersatzcode einen Code der App. Jeder funktioniert einmal.',
    warning:
      'Drucken Sie diese Codes aus, oder speichern Sie sie in einem Passwortmanager. Wir zeigen sie nicht noch einmal.',
    replaced: 'Ihre früheren Codes funktionieren nicht mehr.',
    codes: 'Ersatzcodes',
    saved: 'Ich habe die Codes gespeichert',
  },
  signIn: {
    title: 'Geben Sie Ihren Code ein',
    lead: 'Ihr Konto hat die Zwei-Faktor-Anmeldung.',
    codeHint: 'Die sechs Ziffern, die Ihre App zeigt, oder ein Ersatzcode.',
    noCode:
      'Kein Handy und kein Ersatzcode? Bitten Sie den Support Ihrer Plattform, die Zwei-Faktor-Anmeldung auszuschalten.',
    startAgain: 'Neu beginnen',
    wrong:
      'Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten Code Ihrer App, oder verwenden Sie einen anderen Ersatzcode.',
    ended: 'Die Anmeldung hat zu lange gedauert oder hatte zu viele falsche Codes. Melden Sie sich noch einmal an.',
  },
})
