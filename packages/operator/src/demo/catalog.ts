// Generates categories, products, and variants.

import { slugOf } from './ascii.ts'
import { centsText } from './money.ts'
import { pickAt, type SeededRandom } from './random.ts'
import type { Row } from './rows.ts'
import type { DemoShop } from './shop.ts'
import { DAY, HISTORY_START, timestampText, untilEnd } from './timestamps.ts'
import { type CategoryWords, LINES, OPTIONS, type ProductKind } from './words/products.ts'
import { CARE, DESCRIPTIONS, type Words } from './words/texts.ts'

/**
 * A product or variant that an order can contain. `cents` is its price before tax, and `rate` its tax rate in percent.
 */
export interface Article {
  readonly productId: string
  /** ID of the variant; null for a product without variants. */
  readonly variantId: string | null
  readonly name: string
  readonly cents: number
  readonly rate: number
  /** Option values as JSON; null for a product without options. */
  readonly attributes: string | null
}

/** The rows of a catalog, and what orders can contain. */
export interface Catalog {
  readonly categories: readonly Row[]
  readonly products: readonly Row[]
  readonly variants: readonly Row[]
  /** One for each product without variants, and for each variant; none for products with the status `draft`. */
  readonly articles: readonly Article[]
}

/** A product during its generation. */
interface Draft {
  readonly id: string
  readonly kind: ProductKind
  /** Name in each language. */
  readonly words: Words
  readonly slug: string
  readonly sku: string
  readonly cents: number
  readonly createdAt: number
}

/** Generates a catalog of `count` products, which are older than the first order. */
export function makeCatalog(shop: DemoShop, count: number, random: SeededRandom): Catalog {
  const categoryIds = new Map(shop.assortment.categories.map(({ slug }) => [slug, random.uuid()]))
  const categories = shop.assortment.categories.map((category, index) =>
    categoryRow(shop, category, index, categoryIds),
  )
  const products: Row[] = []
  const variants: Row[] = []
  const articles: Article[] = []
  for (let index = 0; index < count; index++) {
    const draft = draftProduct(shop, index, count, random)
    const own = variantsOf(shop, draft, random)
    const row = productRow(shop, draft, { categoryIds, hasVariants: own.length > 0, random })
    products.push(row)
    variants.push(...own.map(({ row: variant }) => variant))
    if (row.status !== 'draft')
      articles.push(...(own.length > 0 ? own.map(({ article }) => article) : [articleOf(shop, draft)]))
  }
  return { categories, products, variants, articles }
}

function categoryRow(
  shop: DemoShop,
  { slug, parent, name }: CategoryWords,
  index: number,
  ids: ReadonlyMap<string, string>,
): Row {
  return {
    id: ids.get(slug) ?? null,
    name: name[shop.locales[0]],
    slug,
    description: null,
    image: parent === null ? `https://images.${shop.host}/categories/${slug}.jpg` : null,
    parent_id: parent === null ? null : (ids.get(parent) ?? null),
    order: index,
    translations: translationsOf(shop, (locale) => ({ name: name[locale] })),
    created_at: timestampText(HISTORY_START - 120 * DAY + index),
  }
}

/** Returns product number `index`. All kinds occur in the first line before any kind occurs in the second line. */
function draftProduct(shop: DemoShop, index: number, count: number, random: SeededRandom): Draft {
  const { kinds } = shop.assortment
  const kind = pickAt(kinds, index)
  const line = pickAt(LINES, Math.floor(index / kinds.length))
  const edition = Math.floor(index / (kinds.length * LINES.length))
  const title = (name: string) => `${name} ${line}${edition === 0 ? '' : ` ${edition + 1}`}`
  const words = { de: title(kind.name.de), en: title(kind.name.en), fr: title(kind.name.fr) }
  const [min, max] = kind.cents
  return {
    id: random.uuid(),
    kind,
    words,
    slug: slugOf(words[shop.locales[0]]),
    sku: `${kind.category.slice(0, 2).toUpperCase()}-${String(index + 1).padStart(4, '0')}`,
    // Most prices in shops end in 90 or 00.
    cents: Math.round(random.between(min, max) / 100) * 100 - (random.chance(0.7) ? 10 : 0),
    createdAt: Math.round(HISTORY_START - 90 * DAY + (index / count) * 80 * DAY + random.between(0, DAY)),
  }
}

function productRow(
  shop: DemoShop,
  draft: Draft,
  {
    categoryIds,
    hasVariants,
    random,
  }: { categoryIds: ReadonlyMap<string, string>; hasVariants: boolean; random: SeededRandom },
): Row {
  const { kind, words, slug, cents, createdAt } = draft
  const locale = shop.locales[0]
  const name = words[locale]
  const description = random.pick(DESCRIPTIONS)
  const picture = (number: number) => `https://images.${shop.host}/products/${slug}-${number}.jpg`
  return {
    id: draft.id,
    name,
    slug,
    description: description[locale].replace('{name}', name),
    price: centsText(cents),
    compare_price: random.chance(0.15) ? centsText(cents + 100 * Math.ceil(cents / 500)) : null,
    images: Array.from({ length: random.between(1, 4) }, (_, index) => picture(index + 1)),
    videos: random.chance(0.06) ? [`https://videos.${shop.host}/${slug}.mp4`] : [],
    status: statusOf(random),
    category_id: random.chance(0.04) ? null : (categoryIds.get(kind.category) ?? null),
    has_variants: hasVariants,
    sku: hasVariants ? null : draft.sku,
    inventory: hasVariants ? null : random.between(0, 180),
    track_inventory: random.chance(0.95),
    continue_selling_when_out_of_stock: random.chance(0.1),
    product_type: kind.name[locale],
    vendor: random.chance(0.8) ? shop.storeName : null,
    // An umlaut, an accent, and a quote show whether a client decodes tags correctly.
    tags: random.chance(0.85) ? [kind.category, ...(random.chance(0.3) ? ['neu', 'été "25"'] : [])] : null,
    meta_title: random.chance(0.6) ? `${name} | ${shop.storeName}` : null,
    meta_description: random.chance(0.4) ? description[locale].replace('{name}', name).replace('\n', ' ') : null,
    meta_keywords: random.chance(0.3) ? [kind.name[locale], kind.category] : null,
    metafields: random.chance(0.35)
      ? JSON.stringify([{ key: 'care', label: CARE.label[locale], value: CARE.value[locale] }])
      : '[]',
    translations: translationsOf(shop, (other) =>
      // Some descriptions have no translation yet.
      random.chance(0.9)
        ? { name: words[other], description: description[other].replace('{name}', words[other]) }
        : { name: words[other] },
    ),
    tax_class: kind.reduced ? 'reduced' : null,
    weight_grams: random.chance(0.95) ? `${kind.grams}` : null,
    created_at: timestampText(createdAt),
    updated_at: timestampText(untilEnd(createdAt + random.next() ** 2 * 700 * DAY)),
  }
}

function statusOf(random: SeededRandom): string {
  const draw = random.next()
  if (draw < 0.05) return 'draft'
  return draw < 0.12 ? 'archived' : 'active'
}

/** Returns at least two variants, or none for a kind without an option. Larger sizes cost more. */
function variantsOf(shop: DemoShop, draft: Draft, random: SeededRandom): { row: Row; article: Article }[] {
  const { kind, cents, createdAt } = draft
  if (kind.option === 'none') return []
  const option = OPTIONS[kind.option]
  const locale = shop.locales[0]
  const bySize = kind.option === 'size'
  return option.values.slice(0, random.between(2, option.values.length)).map((value, index) => {
    const id = random.uuid()
    const variantCents = bySize ? cents + index * 100 * Math.ceil(cents / 400) : cents
    const attributes = JSON.stringify({ [option.name[locale]]: value[locale] })
    const row = {
      id,
      product_id: draft.id,
      sku: `${draft.sku}-${index + 1}`,
      name: value[locale],
      price: variantCents === cents ? null : centsText(variantCents),
      inventory: random.between(0, 90),
      weight_grams: bySize ? `${kind.grams * (index + 1)}.5` : null,
      image: random.chance(0.5)
        ? `https://images.${shop.host}/products/${draft.slug}-${value.en.toLowerCase().replace(' ', '-')}.jpg`
        : null,
      video: null,
      attributes,
      created_at: timestampText(createdAt + index),
    }
    return { row, article: { ...articleOf(shop, draft), variantId: id, cents: variantCents, attributes } }
  })
}

function articleOf(shop: DemoShop, { id, kind, words, cents }: Draft): Article {
  const rate = kind.reduced ? shop.reducedRate : shop.standardRate
  return { productId: id, variantId: null, name: words[shop.locales[0]], cents, rate, attributes: null }
}

/** Returns the texts in all languages except the default one, as JSON; null in a shop with one language. */
function translationsOf(
  shop: DemoShop,
  textsIn: (locale: DemoShop['locales'][0]) => Readonly<Record<string, string>>,
): string | null {
  const [, ...others] = shop.locales
  if (others.length === 0) return null
  return JSON.stringify(Object.fromEntries(others.map((locale) => [locale, textsIn(locale)])))
}
