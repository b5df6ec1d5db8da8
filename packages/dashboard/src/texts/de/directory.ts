import type { DirectoryTexts } from '../en/directory.ts'
import type { Format } from '../format.ts'

export const directory = ({ plural }: Format): DirectoryTexts => ({
  title: 'Verzeichnis',
  note: 'Okta, Microsoft Entra ID oder ein anderes Verzeichnis Ihrer Firma kann Mitglieder hinzufügen und entfernen.',
  connected: 'Aktives Token',
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
    'Mit diesem Token kann Ihr Verzeichnis alle Mitglieder dieses Shops hinzufügen und entfernen, auch alle Admins. Das Token funktioniert nicht mehr, wenn Sie nicht mehr Admin sind.',
  full: 'Dieser Shop hat die höchste Zahl von Tokens. Widerrufen Sie eines, um ein neues zu erstellen.',
  newToken: {
    title: 'Ihr neues Token',
    warning: 'Kopieren Sie das Token jetzt. Diese Seite zeigt es zehn Minuten lang und danach nie wieder.',
    hasCopied: 'Ich habe es kopiert',
  },
  effectsTitle: 'Was Ihr Verzeichnis kann',
  effects: [
    'Es fügt Personen als Betrachter hinzu, wenn es keine andere Rolle sendet. Sie melden sich wie andere Mitglieder an.',
    'Es kann den Zugriff jedes Mitglieds beenden, auch den von eingeladenen Personen. Sie verlieren den Zugriff sofort.',
    'Es kann den einzigen Admin nicht entfernen. Es kann die Rolle einer eingeladenen Person nicht ändern. Um diese Rolle zu ändern, entfernen Sie die Person in Ihrem Verzeichnis, und fügen Sie sie wieder hinzu.',
    'Es sieht nur diesen Shop. Es kann weder Name noch E-Mail-Adresse oder Passwort eines Kontos ändern.',
  ],
  revocation: {
    title: 'Dieses Token widerrufen?',
    lead: 'Ihr Verzeichnis kann mit diesem Token keine Mitglieder mehr hinzufügen oder entfernen. Die jetzigen Mitglieder behalten ihren Zugriff.',
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
