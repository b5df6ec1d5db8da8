// Generates customers, customer groups, and saved addresses.

import { type DemoPerson, makePerson, makePlace } from './people.ts'
import { pickAt, type SeededRandom } from './random.ts'
import type { Row } from './rows.ts'
import type { DemoShop } from './shop.ts'
import { DAY, HISTORY_END, HISTORY_START, timestampText, untilEnd } from './timestamps.ts'
import { COUNTRIES } from './words/places.ts'
import { ADDRESS_LABELS, GROUPS, type Locale } from './words/texts.ts'

/** A generated customer who can place orders after `createdAt`, which is in microseconds since 1970. */
export interface DemoCustomer extends DemoPerson {
  readonly id: string
  readonly createdAt: number
  readonly locale: Locale
}

/** The customers of a store, oldest first, and the rows of the tables `customers` and `customer_addresses`. */
export interface CustomerRows {
  readonly customers: readonly DemoCustomer[]
  readonly rows: readonly Row[]
  readonly addresses: readonly Row[]
}

/** Generates `count` groups. From the fifth group on, the names repeat. */
export function makeGroups(shop: DemoShop, count: number, random: SeededRandom): Row[] {
  const locale = shop.locales[0]
  return Array.from({ length: count }, (_, index) => {
    const { name, description, active } = pickAt(GROUPS, index)
    return {
      id: random.uuid(),
      name: name[locale],
      description: description?.[locale] ?? null,
      is_active: active,
      sort_order: index,
      created_at: timestampText(HISTORY_START - 60 * DAY + index * DAY),
      updated_at: timestampText(HISTORY_START + index * 100 * DAY),
    }
  })
}

/** Generates `count` customers, created between two months before the first order and the end of the history. */
export function makeCustomers(
  shop: DemoShop,
  count: number,
  groups: readonly Row[],
  random: SeededRandom,
): CustomerRows {
  const first = HISTORY_START - 60 * DAY
  const step = (HISTORY_END - first) / count
  const made = Array.from({ length: count }, (_, index) => {
    const person = makePerson(shop, index + 1, random)
    const createdAt = Math.floor(first + (index + random.next()) * step)
    return {
      ...person,
      id: random.uuid(),
      createdAt,
      locale: random.chance(0.7) ? shop.locales[0] : random.pick(shop.locales),
    }
  })
  return {
    customers: made,
    rows: made.map((customer) => customerRow(customer, groups, random)),
    addresses: made.flatMap((customer) => addressRows(shop, customer, random)),
  }
}

function customerRow(
  { id, email, home, createdAt, locale }: DemoCustomer,
  groups: readonly Row[],
  random: SeededRandom,
): Row {
  const verified = random.chance(0.8)
  return {
    id,
    email,
    name: random.chance(0.97) ? `${home.firstName} ${home.lastName}` : null,
    phone: home.phone,
    group_id: groups.length > 0 && random.chance(0.3) ? (random.pick(groups).id ?? null) : null,
    processor_customer_id: random.chance(0.75) ? `cus_${random.code(14)}` : null,
    locale: random.chance(0.9) ? locale : null,
    email_verified: verified ? timestampText(untilEnd(createdAt + random.next() * DAY)) : null,
    created_at: timestampText(createdAt),
    // Null as in stores that set it only when a row changes.
    updated_at: random.chance(0.35) ? null : timestampText(untilEnd(createdAt + random.next() ** 2 * 500 * DAY)),
    // A realistic value in a column that the API must never return.
    password_hash: verified ? `$argon2id$v=19$m=65536,t=3,p=4$${random.code(22)}$${random.code(43)}` : null,
  }
}

/** Returns no, one, or up to three addresses. The first is the customer's home. */
function addressRows(shop: DemoShop, customer: DemoCustomer, random: SeededRandom): Row[] {
  const draw = random.next()
  const count = draw < 0.1 ? 0 : draw < 0.8 ? 1 : random.between(2, 3)
  return Array.from({ length: count }, (_, index) => addressRow(shop, customer, index, random))
}

function addressRow(shop: DemoShop, customer: DemoCustomer, index: number, random: SeededRandom): Row {
  const { firstName, lastName, country } = customer.home
  const place = index === 0 ? customer.home : makePlace(country, random)
  const createdAt = untilEnd(customer.createdAt + index * 20 * DAY + random.next() * DAY)
  const updatedAt = untilEnd(createdAt + random.next() ** 3 * 300 * DAY)
  const removed = random.chance(index === 0 ? 0.04 : 0.15)
  return {
    id: random.uuid(),
    customer_id: customer.id,
    label: random.chance(0.7) ? pickAt(ADDRESS_LABELS[shop.locales[0]], index) : null,
    first_name: firstName,
    last_name: lastName,
    company: random.chance(0.08) ? `${lastName} & Co. (${COUNTRIES[country].code})` : null,
    line1: place.line1,
    line2: place.line2,
    city: place.city,
    state: place.state,
    postal_code: place.postalCode,
    country: place.country,
    phone: place.phone,
    is_default_shipping: index === 0 && !removed,
    is_default_billing: index === 0 && !removed,
    created_at: timestampText(createdAt),
    updated_at: timestampText(updatedAt),
    deleted_at: removed ? timestampText(updatedAt) : null,
  }
}
