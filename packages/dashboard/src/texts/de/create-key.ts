import { html } from '../../ui/html.ts'
import type { CreateKeyTexts } from '../en/create-key.ts'
import type { Format } from '../format.ts'

export const createKey = ({ list }: Format): CreateKeyTexts => ({
  title: 'Schlüssel erstellen',
  tool: 'Tool',
  otherTool: 'Ein anderes Tool',
  toolNames: { curl: 'Shell-Skript' },
  toolNotes: {
    'google-sheets': 'Tabelle',
    excel: 'Tabelle',
    'power-bi': 'Berichte',
    n8n: 'Automatische Abläufe',
    'store-sync': 'Kopie in einer Datenbank oder in Dateien',
    curl: 'Braucht curl und jq',
    python: 'Programm ohne Pakete',
    typescript: 'Programm für Node',
  },
  otherToolNote: 'Sie tragen den Schlüssel selbst ein',
  name: 'Name des Schlüssels',
  nameHint:
    'Zum Beispiel „Buchhaltung“ oder „Lagerliste“. Höchstens 80 Zeichen. Wenn Sie ein Tool wählen und keinen Namen eingeben, heißt der Schlüssel wie das Tool.',
  create: 'Schlüssel erstellen',
  limitIt: 'Schlüssel einschränken',
  access: {
    legend: 'Das Tool kann lesen',
    everything: 'Alles',
    sales: 'Bestellungen und Produkte, zum Beispiel für die Buchhaltung',
    chosen: 'Nur, was Sie auswählen:',
  },
  withoutPersonalData: 'Personenbezogene Daten weglassen',
  withoutPersonalDataHint:
    'Das Tool bekommt keine Namen und keine Telefonnummern. Von einer Adresse bekommt es nur Land und Region. Jede E-Mail-Adresse wird zu einem Pseudonym.',
  end: {
    label: 'Der Schlüssel läuft ab',
    same: 'Zum selben Zeitpunkt wie jetzt',
    never: 'Wenn Sie ihn widerrufen',
    after30: 'Nach 30 Tagen',
    after90: 'Nach 90 Tagen',
    onDay: 'Am Ende eines Tages',
    day: 'Tag',
    dayHint: 'Nur für „Am Ende eines Tages“.',
  },
  addresses: 'Netzwerkadressen des Tools',
  addressesHint: 'Ohne Angabe gilt der Schlüssel von überall. Trennen Sie mehrere mit Kommas: 203.0.113.7, 10.0.0.0/8.',
  facts: {
    onlyScopes: (scopes) => `Nur ${list(scopes)}`,
    withoutPersonalData: 'Ohne personenbezogene Daten',
    ends: (time) => html`Läuft ab: ${time}`,
    onlyFrom: (addresses) => `Nur von ${addresses}`,
  },
  problems: {
    noName: 'Geben Sie dem Schlüssel einen Namen.',
    noNameOrTool: 'Geben Sie einen Namen ein, oder wählen Sie ein Tool. Dann heißt der Schlüssel wie das Tool.',
    name: 'Verwenden Sie höchstens 80 Zeichen, mindestens ein sichtbares Zeichen und keine Steuerzeichen.',
    nothingChosen: 'Wählen Sie mindestens eine Art von Daten, die das Tool lesen kann.',
    noDay: 'Wählen Sie den Tag, an dem der Schlüssel abläuft.',
    dayPassed: 'Wählen Sie einen Tag in der Zukunft.',
    tooManyAddresses: (addressesMax) => `Geben Sie höchstens ${addressesMax} Adressen und Netzwerke ein.`,
    address: (wrong) =>
      `„${wrong}“ ist keine Netzwerkadresse. Geben Sie Adressen wie 203.0.113.7 oder Netzwerke wie 10.0.0.0/8 ein.`,
    limitsLost: 'Wählen Sie die Einschränkungen des Schlüssels noch einmal, denn Ihre Sitzung ist abgelaufen.',
  },
})
