import { html } from '../../ui/html.ts'
import type { InvitationTexts } from '../en/invitation.ts'
import type { Format } from '../format.ts'

export const invitation = ({ plural }: Format): InvitationTexts => ({
  title: (store) => `${store} beitreten`,
  lead: {
    admin: (invitedBy, email) =>
      html`<strong>${invitedBy}</strong> lädt <strong>${email}</strong> als Admin in diesen Shop ein. Admins sehen seine Daten und seine Nutzung und verwalten seine Schlüssel und Mitglieder.`,
    developer: (invitedBy, email) =>
      html`<strong>${invitedBy}</strong> lädt <strong>${email}</strong> als Entwickler in diesen Shop ein. Entwickler sehen seine Daten und seine Nutzung und verwalten seine Schlüssel.`,
    viewer: (invitedBy, email) =>
      html`<strong>${invitedBy}</strong> lädt <strong>${email}</strong> als Betrachter in diesen Shop ein. Betrachter sehen seine Schlüssel und deren Nutzung, aber sie ändern nichts und sehen keine Kundendaten.`,
  },
  otherSession: (signedInAs, email) =>
    html`In diesem Browser ist <strong>${signedInAs}</strong> angemeldet. Die Einladung ist für <strong>${email}</strong>. Wenn Sie sie annehmen, wird das andere Konto abgemeldet.`,
  decline: 'Wenn Sie nicht beitreten möchten, schließen Sie diese Seite.',
  accept: 'Einladung annehmen',
  acceptNote: 'Ihr Konto gibt es schon. Der Link meldet Sie nicht an. Sie melden sich danach wie gewohnt an.',
  choosePassword: 'Passwort wählen',
  createAccount: 'Konto erstellen und beitreten',
  joined: 'Sie sind dem Shop beigetreten. Melden Sie sich an, um ihn zu öffnen.',
  ended: {
    title: 'Diese Einladung funktioniert nicht',
    text: 'Sie wurde schon angenommen, ist abgelaufen oder wurde zurückgezogen. Wenn Sie schon beigetreten sind, melden Sie sich an. Sonst bitten Sie um eine neue Einladung.',
    replaced:
      'Sie haben eine neuere Einladung bekommen, deshalb funktioniert dieser Link nicht mehr. Öffnen Sie den Link der neuesten E-Mail.',
    openDashboard: 'Dashboard öffnen',
  },
  email: {
    subject: (store) => `Einladung zu ${store}`,
    invitation: {
      admin: (invitedBy, store) =>
        `${invitedBy} lädt Sie als Admin in den Shop „${store}“ in Store Data Export ein. Dort können Sie API-Schlüssel für seine Tools erstellen und seine Daten sehen.`,
      developer: (invitedBy, store) =>
        `${invitedBy} lädt Sie als Entwickler in den Shop „${store}“ in Store Data Export ein. Dort können Sie API-Schlüssel für seine Tools erstellen und seine Daten sehen.`,
      viewer: (invitedBy, store) =>
        `${invitedBy} lädt Sie als Betrachter in den Shop „${store}“ in Store Data Export ein. Dort sehen Sie, ob die Abrufe seiner Tools funktionieren.`,
    },
    link: (url) => `Um anzunehmen, öffnen Sie diesen Link, und drücken Sie den Knopf:\n${url}`,
    foot: (days, invitedBy) =>
      `Der Link funktioniert einmal und ${plural(days, { one: '# Tag', other: '# Tage' })} lang. Er ist nur für Sie. Leiten Sie ihn nicht weiter. Wenn Sie ${invitedBy} nicht kennen, ignorieren Sie diese E-Mail.`,
  },
})
