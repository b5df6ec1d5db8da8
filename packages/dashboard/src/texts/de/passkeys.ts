import { html } from '../../ui/html.ts'
import type { PasskeysTexts } from '../en/passkeys.ts'
import type { Format } from '../format.ts'

export const passkeys = ({ plural }: Format): PasskeysTexts => ({
  title: 'Passkeys',
  note: 'Mit einem Passkey melden Sie sich mit Ihrem Fingerabdruck, Ihrem Gesicht oder der PIN Ihres Geräts an. Sie geben kein Passwort und keinen Code ein.',
  needsPassword: 'Jede Änderung an Ihren Passkeys braucht Ihr Passwort. Legen Sie zuerst ein Passwort fest.',
  limit: (passkeys) =>
    `Sie haben ${plural(passkeys, { one: '# Passkey', other: '# Passkeys' })}. Mehr sind nicht möglich. Entfernen Sie einen, um einen anderen hinzuzufügen.`,
  elsewhere: (url) =>
    html`Browser erlauben unter einer IP-Adresse keine Passkeys. Um Passkeys zu verwenden, öffnen Sie <a href="${url}">${url}</a>, und melden Sie sich dort an.`,
  noHostName:
    'Browser erlauben unter einer IP-Adresse keine Passkeys. Bitten Sie den Support Ihrer Plattform um eine Adresse mit einem Hostnamen.',
  none: 'Sie haben keine Passkeys.',
  columns: { name: 'Name', added: 'Hinzugefügt', change: 'Ändern' },
  change: 'Ändern',
  added: 'Ihr Passkey ist hinzugefügt. Sie können sich jetzt damit anmelden.',
  renamed: 'Der Name des Passkeys ist gespeichert.',
  removed: 'Der Passkey ist entfernt, und Ihre anderen Browser sind abgemeldet.',
  add: {
    link: 'Passkey hinzufügen',
    title: 'Passkey hinzufügen',
    lead: 'Ihr Browser speichert ihn auf diesem Gerät, in einem Passwortmanager oder auf einem Sicherheitsschlüssel.',
    card: 'Neuer Passkey',
    name: 'Name des Passkeys',
    hint: 'Ein Name, an dem Sie ihn später erkennen.',
    password: 'Ihr Passwort',
    button: 'Passkey erstellen',
    unsupported:
      'Dieser Browser kann keine Passkeys erstellen, oder JavaScript ist aus. Schalten Sie JavaScript ein, oder verwenden Sie einen neueren Browser.',
    problems: {
      name: 'Verwenden Sie einen Namen mit höchstens 80 Zeichen, mindestens einem sichtbaren Zeichen und ohne Steuerzeichen.',
      canceled:
        'Es wurde kein Passkey erstellt, weil Sie abgebrochen oder zu lange gewartet haben. Versuchen Sie es noch einmal.',
      known: 'Dieses Gerät oder dieser Passwortmanager hat schon einen Passkey Ihres Kontos.',
      failed:
        'Ihr Browser konnte keinen Passkey erstellen. Versuchen Sie es noch einmal, oder verwenden Sie einen anderen Browser oder ein anderes Gerät.',
      rejected:
        'Der Passkey wurde nicht hinzugefügt. Fügen Sie ihn noch einmal hinzu. Bestätigen Sie ihn mit Ihrem Fingerabdruck, Ihrem Gesicht oder Ihrer PIN.',
    },
  },
  edit: {
    lead: (name) => html`Mit dem Passkey <strong>${name}</strong> melden Sie sich an.`,
    title: 'Passkey ändern',
    rename: 'Umbenennen',
    save: 'Namen speichern',
    remove: 'Entfernen',
    removeNote:
      'Der Passkey meldet Sie nicht mehr an, und Ihre anderen Browser werden abgemeldet. Löschen Sie ihn auch auf Ihrem Gerät oder in Ihrem Passwortmanager.',
    password: 'Ihr Passwort',
    removeButton: 'Passkey entfernen',
  },
  signIn: {
    button: 'Mit einem Passkey anmelden',
    canceled:
      'Sie sind nicht angemeldet, weil Sie abgebrochen haben oder Ihr Gerät keinen Passkey für dieses Dashboard hat.',
    failed:
      'Ihr Browser konnte keinen Passkey verwenden. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
    rejected:
      'Die Anmeldung mit dem Passkey hat nicht funktioniert. Versuchen Sie es noch einmal, und bestätigen Sie sie mit Ihrem Fingerabdruck, Ihrem Gesicht oder Ihrer PIN. Sie können sich auch mit Ihrem Passwort anmelden.',
    unknown: 'Kein Konto hat diesen Passkey. Vielleicht wurde er entfernt. Melden Sie sich mit Ihrem Passwort an.',
  },
})
