// Declares the assortments of the demo stores: categories, kinds of products, and product lines.

import type { Words } from './texts.ts'

/** By which property the variants of a product differ. */
export type OptionKind = 'colour' | 'size' | 'flavour' | 'none'

/** A category. `parent` is the slug of its parent category. */
export interface CategoryWords {
  readonly slug: string
  readonly parent: string | null
  readonly name: Words
}

/** A kind of product. `cents` is the range of its price before tax. `grams` is its weight, in the smallest size. */
export interface ProductKind {
  readonly category: string
  readonly name: Words
  readonly cents: readonly [number, number]
  readonly grams: number
  readonly option: OptionKind
  /** Whether the reduced tax rate applies, as for food and books. */
  readonly reduced: boolean
}

/** The categories and kinds of products of a store. */
export interface Assortment {
  readonly categories: readonly CategoryWords[]
  readonly kinds: readonly ProductKind[]
}

/** Product lines. The name of a product consists of its kind and its line. */
// biome-ignore format: a list reads better in lines
export const LINES = [
  'Alba', 'Birke', 'Cirrus', 'Düne', 'Elva', 'Fjord', 'Grove', 'Heide', 'Isla', 'Juna', 'Kiesel', 'Luma', 'Maren', 'Nebel',
  'Øre', 'Pinie', 'Quinta', 'Rivage', 'Säntis', 'Tilda', 'Umbra', 'Velo', 'Wolke', 'Yuna', 'Zephyr', 'Étoile',
] as const

/** Name and values of each option, in all languages. */
export const OPTIONS: Readonly<
  Record<Exclude<OptionKind, 'none'>, { readonly name: Words; readonly values: readonly Words[] }>
> = {
  colour: {
    name: { de: 'Farbe', en: 'Colour', fr: 'Couleur' },
    values: [
      { de: 'Salbei', en: 'Sage', fr: 'Sauge' },
      { de: 'Senfgelb', en: 'Mustard', fr: 'Moutarde' },
      { de: 'Nachtblau', en: 'Midnight blue', fr: 'Bleu nuit' },
      { de: 'Ziegelrot', en: 'Brick red', fr: 'Rouge brique' },
      { de: 'Natur', en: 'Natural', fr: 'Naturel' },
    ],
  },
  size: {
    name: { de: 'Größe', en: 'Size', fr: 'Taille' },
    values: [
      { de: 'Klein', en: 'Small', fr: 'Petit' },
      { de: 'Mittel', en: 'Medium', fr: 'Moyen' },
      { de: 'Groß', en: 'Large', fr: 'Grand' },
    ],
  },
  flavour: {
    name: { de: 'Sorte', en: 'Variety', fr: 'Variété' },
    values: [
      { de: 'Mild', en: 'Mild', fr: 'Doux' },
      { de: 'Kräftig', en: 'Strong', fr: 'Corsé' },
      { de: 'Entkoffeiniert', en: 'Decaffeinated', fr: 'Décaféiné' },
    ],
  },
}

/** Returns a category with its name in German, English, and French. */
const category = (
  slug: string,
  parent: string | null,
  [de, en, fr]: readonly [string, string, string],
): CategoryWords => ({
  slug,
  parent,
  name: { de, en, fr },
})

type KindDetails = Omit<ProductKind, 'category' | 'name' | 'reduced'> & { reduced?: boolean }

/** Returns a kind of product with its name in German, English, and French. */
const kind = (
  category: string,
  [de, en, fr]: readonly [string, string, string],
  details: KindDetails,
): ProductKind => ({
  reduced: false,
  ...details,
  category,
  name: { de, en, fr },
})

/** Home textiles, tableware, and food. */
export const HOME: Assortment = {
  categories: [
    category('textiles', null, ['Textilien', 'Textiles', 'Textiles']),
    category('cushions', 'textiles', ['Kissen & Decken', 'Cushions & throws', 'Coussins & plaids']),
    category('bath', 'textiles', ['Bad', 'Bath', 'Salle de bain']),
    category('kitchen', null, ['Küche', 'Kitchen', 'Cuisine']),
    category('tableware', 'kitchen', ['Geschirr', 'Tableware', 'Vaisselle']),
    category('cookware', 'kitchen', ['Kochgeschirr', 'Cookware', 'Ustensiles de cuisine']),
    category('lighting', null, ['Leuchten', 'Lighting', 'Luminaires']),
    category('larder', null, ['Vorratskammer', 'Larder', 'Épicerie']),
    category('books', null, ['Bücher', 'Books', 'Livres']),
  ],
  kinds: [
    kind('cushions', ['Kissenbezug', 'Cushion cover', 'Housse de coussin'], {
      cents: [1990, 4990],
      grams: 220,
      option: 'colour',
    }),
    kind('cushions', ['Wolldecke', 'Wool throw', 'Plaid en laine'], {
      cents: [5990, 18_900],
      grams: 1450,
      option: 'colour',
    }),
    kind('textiles', ['Tischläufer', 'Table runner', 'Chemin de table'], {
      cents: [1490, 3990],
      grams: 260,
      option: 'colour',
    }),
    kind('bath', ['Handtuch', 'Towel', 'Serviette de bain'], { cents: [1290, 3490], grams: 480, option: 'size' }),
    kind('bath', ['Badematte', 'Bath mat', 'Tapis de bain'], { cents: [2490, 5990], grams: 900, option: 'colour' }),
    kind('tableware', ['Teller', 'Plate', 'Assiette'], { cents: [990, 3290], grams: 620, option: 'size' }),
    kind('tableware', ['Becher', 'Mug', 'Gobelet'], { cents: [890, 2490], grams: 340, option: 'colour' }),
    kind('tableware', ['Schüssel', 'Bowl', 'Saladier'], { cents: [1490, 4990], grams: 810, option: 'size' }),
    kind('cookware', ['Bräter', 'Casserole', 'Cocotte'], { cents: [7990, 24_900], grams: 4200, option: 'size' }),
    kind('cookware', ['Schneidebrett', 'Chopping board', 'Planche à découper'], {
      cents: [1990, 6990],
      grams: 1300,
      option: 'size',
    }),
    kind('kitchen', ['Geschirrtuch', 'Tea towel', 'Torchon'], { cents: [790, 1990], grams: 110, option: 'none' }),
    kind('lighting', ['Pendelleuchte', 'Pendant lamp', 'Suspension'], {
      cents: [6990, 29_900],
      grams: 2100,
      option: 'colour',
    }),
    kind('lighting', ['Kerzenständer', 'Candlestick', 'Bougeoir'], { cents: [1490, 4490], grams: 540, option: 'none' }),
    kind('larder', ['Honig', 'Honey', 'Miel'], { cents: [590, 1490], grams: 500, option: 'flavour', reduced: true }),
    kind('larder', ['Kräutertee', 'Herbal tea', 'Tisane'], {
      cents: [490, 1290],
      grams: 90,
      option: 'none',
      reduced: true,
    }),
    kind('larder', ['Röstkaffee', 'Roast coffee', 'Café torréfié'], {
      cents: [790, 1890],
      grams: 250,
      option: 'flavour',
      reduced: true,
    }),
    kind('books', ['Kochbuch', 'Cookbook', 'Livre de cuisine'], {
      cents: [1800, 4200],
      grams: 980,
      option: 'none',
      reduced: true,
    }),
    kind('books', ['Notizbuch', 'Notebook', 'Carnet'], { cents: [690, 2290], grams: 310, option: 'colour' }),
  ],
}

/** Coffee and equipment. */
export const COFFEE: Assortment = {
  categories: [
    category('coffee', null, ['Kaffee', 'Coffee', 'Café']),
    category('espresso', 'coffee', ['Espresso', 'Espresso', 'Espresso']),
    category('equipment', null, ['Zubehör', 'Equipment', 'Accessoires']),
  ],
  kinds: [
    kind('coffee', ['Filterkaffee', 'Filter roast', 'Café filtre'], {
      cents: [850, 1650],
      grams: 250,
      option: 'flavour',
    }),
    kind('espresso', ['Espresso', 'Espresso roast', 'Espresso'], { cents: [890, 1790], grams: 250, option: 'flavour' }),
    kind('equipment', ['Handmühle', 'Hand grinder', 'Moulin à main'], {
      cents: [3900, 16_900],
      grams: 720,
      option: 'none',
    }),
    kind('equipment', ['Kaffeefilter', 'Dripper', 'Porte-filtre'], { cents: [1200, 3800], grams: 280, option: 'size' }),
    kind('equipment', ['Becher', 'Mug', 'Gobelet'], { cents: [900, 2200], grams: 330, option: 'colour' }),
  ],
}

/** Stationery, prints, and books. */
export const PAPER: Assortment = {
  categories: [
    category('paper', null, ['Papier', 'Paper', 'Papeterie']),
    category('notebooks', 'paper', ['Hefte', 'Notebooks', 'Carnets']),
    category('prints', null, ['Drucke', 'Prints', 'Estampes']),
    category('books', null, ['Bücher', 'Books', 'Livres']),
  ],
  kinds: [
    kind('notebooks', ['Skizzenbuch', 'Sketchbook', 'Carnet de croquis'], {
      cents: [1190, 3490],
      grams: 420,
      option: 'size',
    }),
    kind('notebooks', ['Kalender', 'Planner', 'Agenda'], { cents: [1490, 3290], grams: 350, option: 'colour' }),
    kind('paper', ['Briefpapier', 'Letter paper', 'Papier à lettres'], {
      cents: [690, 1890],
      grams: 180,
      option: 'none',
    }),
    kind('prints', ['Linolschnitt', 'Linocut', 'Linogravure'], { cents: [2900, 14_900], grams: 150, option: 'size' }),
    kind('books', ['Bildband', 'Picture book', 'Livre d’images'], {
      cents: [1900, 5900],
      grams: 1250,
      option: 'none',
      reduced: true,
    }),
  ],
}
