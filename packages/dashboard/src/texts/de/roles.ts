import type { RolesTexts } from '../en/roles.ts'

export const roles = (): RolesTexts => ({
  label: 'Rolle',
  names: { admin: 'Admin', developer: 'Entwickler', viewer: 'Betrachter' },
  choices: {
    admin: 'Admin: verwaltet Schlüssel und Mitglieder und sieht die Daten des Shops',
    developer: 'Entwickler: verwaltet Schlüssel und sieht die Daten des Shops, verwaltet aber keine Mitglieder',
    viewer: 'Betrachter: sieht Schlüssel, Nutzung und Aktivität, aber keine Kundendaten, und ändert nichts',
  },
  change: {
    title: 'Rolle ändern',
    lead: 'Wählen Sie, was dieses Mitglied in diesem Shop tun kann.',
    effects:
      'Die Änderung gilt sofort. Bekommt ein Admin eine andere Rolle, werden Einladungen zurückgezogen, die er gesendet hat, und Verzeichnis-Tokens widerrufen, die er erstellt hat. Schlüssel, die er kopiert hat, funktionieren weiter.',
    button: 'Rolle speichern',
    done: 'Die Rolle ist geändert. Sie gilt ab sofort.',
  },
  problems: {
    none: 'Wählen Sie eine Rolle.',
    lastAdmin: 'Dieses Mitglied ist der einzige Admin des Shops. Machen Sie zuerst ein anderes Mitglied zum Admin.',
  },
})
