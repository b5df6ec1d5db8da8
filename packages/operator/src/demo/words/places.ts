// Lists cities and streets. The phone numbers are from ranges that authorities reserve for fiction.

/** A city with its state and postal code. */
export interface City {
  readonly city: string
  readonly state: string | null
  readonly postalCode: string
}

/**
 * A country. `#` in `streets` is a house number. `#` in `phone` is a digit. If `phone` is null, the country's addresses
 * have no phone number.
 */
export interface Country {
  readonly code: string
  readonly cities: readonly City[]
  readonly streets: readonly string[]
  readonly phone: string | null
}

const at = (city: string, postalCode: string, state: string | null = null): City => ({ city, postalCode, state })

const GERMAN_STREETS = [
  'Lindenstraße #',
  'Am Mühlbach #',
  'Bahnhofstraße #',
  'Rosenweg #',
  'Schloßallee #',
  'Über den Höfen #',
]
const FRENCH_STREETS = [
  '# rue des Lilas',
  '# avenue des Platanes',
  '# place de l’Église',
  '# quai des Brumes',
  '# allée des Frênes',
]

/** The countries by their ISO 3166-1 code. */
export const COUNTRIES = {
  DE: {
    code: 'DE',
    cities: [
      at('Köln', '50667'),
      at('München', '80331', 'Bayern'),
      at('Düsseldorf', '40213'),
      at('Lübeck', '23552'),
      at('Würzburg', '97070', 'Bayern'),
      at('Görlitz', '02826', 'Sachsen'),
      at('Berlin', '10115'),
      at('Hamburg', '20095'),
    ],
    streets: GERMAN_STREETS,
    phone: '+49 30 23125 ###',
  },
  AT: {
    code: 'AT',
    cities: [at('Wien', '1010'), at('Sankt Pölten', '3100', 'Niederösterreich'), at('Graz', '8010', 'Steiermark')],
    streets: GERMAN_STREETS,
    phone: null,
  },
  CH: {
    code: 'CH',
    cities: [
      at('Zürich', '8001', 'ZH'),
      at('Genève', '1201', 'GE'),
      at('Neuchâtel', '2000', 'NE'),
      at('Bern', '3011', 'BE'),
    ],
    streets: ['Seestrasse #', 'Obere Gasse #', 'Chemin du Lac #', 'Rebhügelweg #'],
    phone: null,
  },
  FR: {
    code: 'FR',
    cities: [
      at('Paris', '75011'),
      at('Orléans', '45000'),
      at('Besançon', '25000'),
      at('Saint-Étienne', '42000'),
      at('Nîmes', '30000'),
    ],
    streets: FRENCH_STREETS,
    phone: '+33 1 99 00 ## ##',
  },
  BE: {
    code: 'BE',
    cities: [at('Liège', '4000'), at('Gent', '9000'), at('Bruxelles', '1000')],
    streets: FRENCH_STREETS,
    phone: null,
  },
  DK: {
    code: 'DK',
    cities: [at('København', '1050'), at('Aarhus', '8000'), at('Tønder', '6270')],
    streets: ['Nørregade #', 'Ærøvej #', 'Strandvejen #'],
    phone: null,
  },
  PL: {
    code: 'PL',
    cities: [at('Łódź', '90-001'), at('Kraków', '31-001'), at('Wrocław', '50-001')],
    streets: ['ul. Różana #', 'ul. Długa #', 'al. Dębowa #'],
    phone: null,
  },
  GB: {
    code: 'GB',
    cities: [
      at('Bristol', 'BS1 4DJ'),
      at('Edinburgh', 'EH1 1RE', 'Scotland'),
      at('Leeds', 'LS1 4AP'),
      at('London', 'E2 7DG'),
    ],
    streets: ['# Chandler’s Row', '# Mill Lane', '# St Oswald’s Road', 'Flat 2, # Harbour Street'],
    phone: '+44 7700 900###',
  },
  US: {
    code: 'US',
    cities: [at('Portland', '97201', 'OR'), at('Burlington', '05401', 'VT'), at('San José', '95113', 'CA')],
    streets: ['# Maple Avenue', '# 4th Street', '# Old Orchard Road'],
    phone: '+1 212 555 01##',
  },
} as const satisfies Readonly<Record<string, Country>>

/** ISO 3166-1 code of a country of the demo. */
export type CountryCode = keyof typeof COUNTRIES
