// Lists the texts of the demo in three languages.

/** Language of a demo store's texts. */
export type Locale = 'de' | 'en' | 'fr'

/** The same text in each language of the demo. */
export type Words = Readonly<Record<Locale, string>>

/** Product descriptions. `{name}` is the name of the product. */
export const DESCRIPTIONS: readonly Words[] = [
  {
    de: '{name}: in kleiner Auflage gefertigt, sorgfältig geprüft und plastikfrei verpackt.',
    en: '{name}: made in small batches, carefully checked and packed without plastic.',
    fr: '{name} : fabriqué en petite série, soigneusement contrôlé et emballé sans plastique.',
  },
  {
    de: '{name} begleitet den Alltag über viele Jahre. Pflegeleicht, reparierbar, zeitlos.',
    en: '{name} is made for everyday use over many years. Easy to care for, easy to mend.',
    fr: '{name} vous accompagne au quotidien pendant des années. Facile d’entretien, réparable, intemporel.',
  },
  {
    de: '{name}.\nAus nachvollziehbarer Herkunft; jede Lieferung trägt eine Chargennummer.',
    en: '{name}.\nFrom traceable sources; every delivery carries a batch number.',
    fr: '{name}.\nD’origine traçable ; chaque livraison porte un numéro de lot.',
  },
]

/** Names of the ways to ship an order. */
export const SHIPPING_METHODS = {
  standard: { de: 'Standardversand', en: 'Standard delivery', fr: 'Livraison standard' },
  express: { de: 'Expressversand', en: 'Express delivery', fr: 'Livraison express' },
  pickup: { de: 'Abholung im Laden', en: 'Click and collect', fr: 'Retrait en magasin' },
} as const satisfies Readonly<Record<string, Words>>

/** Names of manual payment methods. */
export const MANUAL_METHODS: readonly Words[] = [
  { de: 'Vorkasse (Überweisung)', en: 'Wire transfer', fr: 'Virement bancaire' },
  { de: 'Nachnahme', en: 'Cash on delivery', fr: 'Paiement à la livraison' },
]

/** Reasons for which customers return orders. The emoji has four bytes in UTF-8, more than the other characters. */
export const RETURN_REASONS: Readonly<Record<Locale, readonly string[]>> = {
  de: ['Gefällt mir doch nicht', 'Größe passt nicht', 'Beschädigt angekommen 😕', 'Falscher Artikel geliefert'],
  en: ['Changed my mind', 'Does not fit', 'Arrived damaged 😕', 'Wrong item sent'],
  fr: ['J’ai changé d’avis', 'La taille ne convient pas', 'Arrivé endommagé 😕', 'Mauvais article reçu'],
}

/** Customer groups. One has no description, and one is not active. */
export const GROUPS: readonly { readonly name: Words; readonly description: Words | null; readonly active: boolean }[] =
  [
    {
      name: { de: 'Stammkundschaft', en: 'Regulars', fr: 'Fidèles' },
      description: { de: 'Ab fünf Bestellungen', en: 'Five orders and more', fr: 'À partir de cinq commandes' },
      active: true,
    },
    {
      name: { de: 'Großhandel', en: 'Wholesale', fr: 'Grossistes' },
      description: {
        de: 'Gewerbe mit USt-IdNr.',
        en: 'Businesses with a VAT number',
        fr: 'Professionnels avec n° de TVA',
      },
      active: true,
    },
    { name: { de: 'Freunde', en: 'Friends', fr: 'Amis' }, description: null, active: true },
    {
      name: { de: 'Frühjahrsaktion', en: 'Spring campaign', fr: 'Campagne de printemps' },
      description: { de: 'Abgeschlossen', en: 'Closed', fr: 'Terminée' },
      active: false,
    },
  ]

/** Labels that customers give their saved addresses. */
export const ADDRESS_LABELS: Readonly<Record<Locale, readonly string[]>> = {
  de: ['Zuhause', 'Büro', 'Ferienhaus', 'Eltern'],
  en: ['Home', 'Office', 'Cottage', 'Parents'],
  fr: ['Maison', 'Bureau', 'Résidence secondaire', 'Parents'],
}

/** The label of an order number from another system. */
export const SOURCE_NUMBER: Words = {
  de: 'Bestellnummer im Altsystem',
  en: 'Order number in the old system',
  fr: 'N° dans l’ancien système',
}

/** The metafield of some products. */
export const CARE: { readonly label: Words; readonly value: Words } = {
  label: { de: 'Pflege', en: 'Care', fr: 'Entretien' },
  value: { de: 'Feucht abwischen', en: 'Wipe with a damp cloth', fr: 'Essuyer avec un chiffon humide' },
}

/** Texts of pickup locations. */
export const PICKUP: { readonly instructions: Words; readonly preparation: Words; readonly description: Words } = {
  instructions: {
    de: 'Bitte Bestellnummer und Ausweis mitbringen.',
    en: 'Please bring your order number and an identity card.',
    fr: 'Merci d’apporter votre numéro de commande et une pièce d’identité.',
  },
  preparation: { de: '2 bis 4 Stunden', en: '2 to 4 hours', fr: '2 à 4 heures' },
  description: {
    de: 'Laden mit Abholtheke',
    en: 'Shop with a collection desk',
    fr: 'Boutique avec comptoir de retrait',
  },
}
