import type { SecondFactorKind } from '@store-export/control'
import type { AccountTexts } from '../en/account.ts'
import type { Format } from '../format.ts'

const HOW: Readonly<Record<SecondFactorKind, string>> = {
  passkey: 'mit Ihrem Passkey',
  code: 'mit Ihrem Passwort und einem Code',
  single_sign_on: 'bei Ihrer Plattform',
}

export const account = ({ plural }: Format): AccountTexts => ({
  title: 'Ihr Konto',
  language: {
    title: 'Sprache',
    note: 'Die Sprache des Dashboards und Ihrer E-Mails.',
    label: 'Sprache',
    ofBrowser: 'Die Sprache Ihres Browsers',
    save: 'Sprache speichern',
    saved: 'Ihre Sprache ist gespeichert.',
  },
  password: {
    title: 'Passwort',
    noteChange:
      'Wenn Sie Ihr Passwort ändern, werden Ihre anderen Browser abgemeldet. Wenn Sie es vergessen haben, melden Sie sich mit einem Anmeldelink an. Dann brauchen Sie es hier nicht.',
    noteForgotten: (minutes) =>
      `Sie haben sich mit einem Link angemeldet. ${plural(minutes, { one: '# Minute', other: '# Minuten' })} lang können Sie danach ein neues Passwort ohne das aktuelle festlegen. Dabei werden Ihre anderen Browser abgemeldet.`,
    noteSet: 'Sie haben noch kein Passwort. Legen Sie eines fest, um sich ohne Link anzumelden.',
    current: 'Aktuelles Passwort',
    next: 'Neues Passwort',
    hint: (lengthMin) =>
      `Mindestens ${lengthMin} Zeichen. Mehrere zufällige Wörter sind leicht zu merken und schwer zu erraten.`,
    change: 'Passwort ändern',
    set: 'Passwort festlegen',
    changed: 'Ihr Passwort ist geändert, und Ihre anderen Browser sind abgemeldet.',
    email: {
      subject: 'Ihr Passwort für Store Data Export ist geändert',
      text: (email, url) =>
        `Das Konto ${email} hat ein neues Passwort, und seine anderen Browser sind abgemeldet.\n\nWenn Sie es nicht geändert haben, bitten Sie den Support Ihrer Plattform um einen Anmeldelink. Legen Sie dann ein neues Passwort fest, und prüfen Sie Ihre Passkeys:\n${url}\n`,
    },
    problems: {
      current: 'Das ist nicht Ihr aktuelles Passwort.',
      linkExpired:
        'Ihre Anmeldung mit einem Link ist zu lange her. Geben Sie Ihr aktuelles Passwort ein, oder melden Sie sich mit einem neuen Link an.',
      sessionOld:
        'Um ein Passwort festzulegen, melden Sie sich ab und wieder an. Öffnen Sie dann diese Seite innerhalb von zehn Minuten.',
      tooShort: (lengthMin) => `Verwenden Sie mindestens ${lengthMin} Zeichen.`,
      tooLong: (lengthMax) => `Verwenden Sie höchstens ${lengthMax} Zeichen.`,
      rateLimited: (seconds) =>
        `Zu viele Versuche. Warten Sie ${plural(seconds, { one: '# Sekunde', other: '# Sekunden' })}, und versuchen Sie es dann noch einmal.`,
    },
  },
  signInFirst: {
    addPasskey: (factor) =>
      `Melden Sie sich ab und ${HOW[factor]} wieder an, um ${factor === 'passkey' ? 'einen weiteren' : 'einen Passkey'} hinzuzufügen.`,
    removePasskey: (factor) =>
      `Melden Sie sich ab und ${HOW[factor]} wieder an, um diesen Passkey zu entfernen. Wenn das nicht geht, bitten Sie den Support Ihrer Plattform, ihn zu entfernen.`,
    setUpTwoFactor: (factor) =>
      `Melden Sie sich ab und ${HOW[factor]} wieder an, um die Zwei-Faktor-Anmeldung einzurichten.`,
    changeTwoFactor: (factor) =>
      `Melden Sie sich ab und ${HOW[factor]} wieder an, um die Zwei-Faktor-Anmeldung zu ändern.`,
  },
  sessions: {
    title: 'Wo Sie angemeldet sind',
    note: 'Wenn Sie einen Browser nicht erkennen, melden Sie sich überall ab, ändern Sie Ihr Passwort, und prüfen Sie Ihre Passkeys.',
    browser: 'Browser',
    signedIn: 'Angemeldet',
    thisBrowser: 'Dieser Browser',
    signOutOthers: 'Andere Browser abmelden',
    othersSignedOut: 'Ihre anderen Browser sind abgemeldet.',
    signOutEverywhere: 'Überall abmelden',
    aBrowser: 'Ein Browser',
    browserOn: (browser, system) => `${browser} unter ${system}`,
  },
})
