import type { DirectoryTexts } from '../en/directory.ts'
import type { Format } from '../format.ts'

export const directory = ({ plural }: Format): DirectoryTexts => ({
  title: 'Verzeichnis',
  note: 'Okta, Microsoft Entra ID oder ein anderes Verzeichnis Ihrer Firma kann Mitglieder hinzufügen und entfernen.',
  connected: 'Token erstellt',
  notConnected: 'Nicht verbunden',
  ended: 'Kein aktives Token',
  endedNote:
    'Ihr Verzeichnis kann keine Mitglieder mehr hinzufügen und entfernen, denn es hat kein aktives Token. Wer Ihre Firma verlässt, behält den Zugriff.',
  manage: 'Verwalten',
  lead: 'Das Verzeichnis Ihrer Firma, zum Beispiel Okta oder Microsoft Entra ID, fügt Mitglieder dieses Shops über SCIM 2.0 hinzu und entfernt sie.',
  url: 'SCIM-Adresse',
  urlNote: 'In Ihrem Verzeichnis heißt sie Basis-URL oder Mandanten-URL.',
  steps: [
    'Erstellen Sie ein Token, und tragen Sie die Adresse und das Token in Ihrem Verzeichnis ein.',
    'Wählen Sie die E-Mail-Adresse als Benutzernamen. Mit dieser Adresse müssen sich die Personen anmelden.',
    'Wenn Personen Admins oder Entwickler sein sollen, ordnen Sie das Attribut roles den Werten admin, developer oder viewer zu.',
    'Weisen Sie die Personen oder Gruppen zu, die Zugriff auf diesen Shop brauchen.',
  ],
  token: 'Token',
  tokens: 'Tokens',
  columns: { token: 'Token', created: 'Erstellt', lastUsed: 'Zuletzt verwendet', actions: 'Aktionen' },
  revoke: 'Widerrufen',
  create: 'Ein Token erstellen',
  createNote:
    'Mit dem Token kann man alle Mitglieder dieses Shops hinzufügen und entfernen, also auch alle Admins ersetzen. Es endet, wenn Sie nicht mehr Admin sind.',
  full: 'Dieser Shop hat die höchste Zahl von Tokens. Widerrufen Sie eines, um ein neues zu erstellen.',
  newToken: {
    title: 'Ihr neues Token',
    warning: 'Kopieren Sie das Token jetzt. Diese Seite zeigt es zehn Minuten lang und danach nie wieder.',
    hasCopied: 'Ich habe es kopiert',
  },
  effectsTitle: 'Was Ihr Verzeichnis kann',
  effects: [
    'Es fügt Personen als Betrachter hinzu oder mit der Rolle, die es sendet. Sie melden sich wie andere Mitglieder an.',
    'Es beendet den Zugriff jedes Mitglieds, auch von eingeladenen Personen. Der Zugriff endet mit dem nächsten Klick.',
    'Es kann den letzten Admin nicht entfernen. Die Rolle einer eingeladenen Person ändert es erst, wenn es den Zugriff beendet und wieder gegeben hat.',
    'Es kann weder Name noch E-Mail-Adresse oder Passwort eines Kontos ändern und sieht nur diesen Shop.',
  ],
  revocation: {
    title: 'Dieses Token widerrufen?',
    lead: 'Ihr Verzeichnis kann damit keine Mitglieder mehr hinzufügen und entfernen. Die Mitglieder dieses Shops bleiben.',
    button: 'Token widerrufen',
  },
  notices: {
    revoked: 'Das Token ist widerrufen.',
    limitReached: (tokens) =>
      `Es wurde kein Token erstellt, denn dieser Shop hat schon ${plural(tokens, { one: '# Token', other: '# Tokens' })}. Widerrufen Sie zuerst eines.`,
  },
  member: {
    badge: 'Verzeichnis',
    signsInWith: 'Wird nicht angezeigt',
    remove:
      'Ihr Verzeichnis hat diese Person hinzugefügt und kann sie wieder hinzufügen. Entfernen Sie die Person auch in Ihrem Verzeichnis.',
    secondFactor: (members) =>
      plural(members, {
        one: '# Mitglied aus Ihrem Verzeichnis muss vielleicht die Zwei-Faktor-Anmeldung einschalten.',
        other: '# Mitglieder aus Ihrem Verzeichnis müssen vielleicht die Zwei-Faktor-Anmeldung einschalten.',
      }),
  },
})
