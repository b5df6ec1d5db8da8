import { html } from '../../ui/html.ts'
import type { MembersTexts } from '../en/members.ts'
import type { Format } from '../format.ts'

export const members = ({ plural }: Format): MembersTexts => ({
  title: 'Mitglieder',
  lead: 'Admins verwalten die Schlüssel und die Mitglieder dieses Shops. Entwickler verwalten seine Schlüssel. Beide sehen seine Daten. Betrachter sehen seine Schlüssel und deren Nutzung.',
  list: {
    title: 'Mitglieder dieses Shops',
    columns: {
      email: 'E-Mail-Adresse',
      signsInWith: 'Anmeldung mit',
      since: 'Mitglied seit',
      actions: 'Aktionen',
    },
    you: 'Sie',
    lastAdmin:
      'Sie sind der einzige Admin. Um diesen Shop zu verlassen oder eine andere Rolle zu bekommen, laden Sie zuerst einen anderen Admin ein, oder machen Sie ein Mitglied zum Admin.',
    changeRole: 'Rolle ändern',
    leave: 'Verlassen',
    remove: 'Entfernen',
    password: 'Passwort',
    singleSignOn: 'Single Sign-on',
    passwordAndSingleSignOn: 'Passwort, Single Sign-on',
    passwordAndCode: 'Passwort und Code',
    passwordCodeAndSingleSignOn: 'Passwort und Code, Single Sign-on',
    link: 'Anmeldelink',
    withPasskey: (others) => `${others}, Passkey`,
  },
  invitations: {
    title: 'Einladungen',
    note: 'Wenn Sie eine Einladung noch einmal senden, funktioniert der Link der früheren E-Mail nicht mehr.',
    columns: {
      email: 'E-Mail-Adresse',
      status: 'Status',
      invitedBy: 'Eingeladen von',
      sent: 'Gesendet',
      actions: 'Aktionen',
    },
    expired: 'Abgelaufen',
    pending: 'Offen',
    you: 'Ihnen',
    sendAgain: 'Noch einmal senden',
    withdraw: 'Zurückziehen',
  },
  invite: {
    title: 'Eine Person einladen',
    noEmails: html`Dieses Dashboard kann keine E-Mails senden. Um eine Person hinzuzufügen, wenden Sie sich an den Support Ihrer Plattform. Er verwendet den Befehl <code>store-export merchants add</code>.`,
    email: 'E-Mail-Adresse',
    hint: (days) =>
      `Die Person bekommt eine E-Mail mit einem Link. Er funktioniert einmal und ${plural(days, { one: '# Tag', other: '# Tage' })} lang.`,
    button: 'Einladung senden',
  },
  notices: {
    invited: 'Die Einladung ist gesendet.',
    unsent:
      'Wir konnten die E-Mail nicht senden. Prüfen Sie die Adresse. Wenn sie stimmt, senden Sie die Einladung in ein paar Minuten noch einmal.',
    withdrawn: 'Die Einladung ist zurückgezogen. Ihr Link funktioniert nicht mehr.',
    removed: 'Das Mitglied ist entfernt und hat keinen Zugriff mehr.',
    ended: 'Diese Einladung wurde inzwischen angenommen oder zurückgezogen.',
  },
  problems: {
    email: 'Geben Sie eine E-Mail-Adresse wie name@shop.example ein.',
    member: 'Diese Person ist schon Mitglied. In der Liste können Sie ihre Rolle ändern.',
    storeLimit: (invitations) =>
      `Dieser Shop hat in 24 Stunden ${invitations} Einladungen gesendet. Versuchen Sie es morgen noch einmal.`,
    addressLimit: (invitations) =>
      `Diese Adresse hat in 24 Stunden ${invitations} Einladungen zu diesem Shop bekommen. Versuchen Sie es morgen noch einmal.`,
  },
  removal: REMOVAL,
})

const REMOVAL: MembersTexts['removal'] = {
  last: {
    title: 'Der einzige Admin kann den Shop nicht verlassen',
    lead: 'Laden Sie zuerst einen anderen Admin ein, oder machen Sie ein Mitglied zum Admin. Auch der Support Ihrer Plattform kann Ihren Zugriff beenden.',
    back: 'Zurück zu den Mitgliedern',
  },
  leave: {
    title: 'Diesen Shop verlassen?',
    lead: 'Sie verlieren sofort den Zugriff auf diesen Shop. Ein Admin kann Sie wieder einladen.',
    button: 'Shop verlassen',
    keys: 'Schlüssel, die Sie erstellt oder kopiert haben, funktionieren weiter, denn Tools verwenden sie.',
    invitations:
      'Einladungen, die Sie gesendet haben, werden zurückgezogen. Verzeichnis-Tokens, die Sie erstellt haben, werden widerrufen.',
  },
  remove: {
    title: 'Dieses Mitglied entfernen?',
    lead: (email) => html`<strong>${email}</strong> verliert sofort den Zugriff auf diesen Shop.`,
    button: 'Mitglied entfernen',
    keys: (apiHref) =>
      html`Schlüssel funktionieren weiter, denn Tools verwenden sie. Wenn dieses Mitglied einen Schlüssel kopiert hat, <a href="${apiHref}">ersetzen oder widerrufen Sie ihn</a>.`,
    invitations:
      'Einladungen, die dieses Mitglied gesendet hat, werden zurückgezogen. Verzeichnis-Tokens, die es erstellt hat, werden widerrufen.',
  },
  effects: 'Was passiert',
  unchanged: 'Die Schlüssel und die anderen Mitglieder bleiben, wie sie sind.',
}
