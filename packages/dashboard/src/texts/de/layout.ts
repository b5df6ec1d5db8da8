import type { LayoutTexts } from '../en/layout.ts'

export const layout = (): LayoutTexts => ({
  skip: 'Zum Inhalt springen',
  chooseStore: ', anderen Shop wählen',
  navigation: 'Shop',
  settings: 'Einstellungen',
  storeData: 'Daten des Shops',
  sections: {
    general: 'Allgemein',
    api: 'API',
    members: 'Mitglieder',
    activity: 'Aktivität',
    usage: 'Nutzung',
    data: 'Daten',
    recipes: 'Vorlagen',
  },
  reference: 'API-Referenz',
  theme: 'Darstellung',
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  signOut: 'Abmelden',
  generating:
    'Dieser Shop wird noch angelegt. Sie können schon Schlüssel erstellen. Die Schlüssel funktionieren, sobald der Shop bereit ist.',
  generatingForViewer: 'Dieser Shop wird noch angelegt. Seine Schlüssel funktionieren, sobald der Shop bereit ist.',
  imported:
    'Dieser Shop wurde importiert und liegt auf einem anderen System. Seine Daten lassen sich hier nicht exportieren, und die API lehnt Anfragen mit seinen Schlüsseln ab.',
  apiUrl: 'API-URL:',
  readsOnly: 'Store Data Export liest die Daten Ihres Shops nur. Ändern kann es sie nicht.',
})
