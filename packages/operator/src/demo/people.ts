// Generates fictional people with names, addresses, email addresses, and phone numbers.

import { asciiOf } from './ascii.ts'
import type { SeededRandom } from './random.ts'
import type { DemoShop } from './shop.ts'
import { FIRST_NAMES, LAST_NAMES } from './words/names.ts'
import { COUNTRIES, type Country, type CountryCode } from './words/places.ts'

/** The address of an order, with the keys of the specification. */
export interface OrderAddress {
  readonly firstName: string
  readonly lastName: string
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly state: string | null
  readonly postalCode: string
  readonly country: CountryCode
  readonly phone: string | null
}

/**
 * A generated person, who becomes a customer or a guest. The email address is unique and under a domain for examples,
 * which receives no mail.
 */
export interface DemoPerson {
  readonly email: string
  readonly home: OrderAddress
}

/**
 * Returns a random person who lives in a country that the shop sells to. `number` makes the email address unique. The
 * same arguments, with `random` in the same state, give the same person.
 */
export function makePerson(shop: DemoShop, number: number, random: SeededRandom): DemoPerson {
  const firstName = random.pick(FIRST_NAMES)
  const lastName = random.pick(LAST_NAMES)
  const local = asciiOf(`${firstName}.${lastName}${number}`).toLowerCase()
  return {
    email: `${local}@example.${random.pick(['com', 'org', 'net'])}`,
    home: { firstName, lastName, ...makePlace(random.pick(shop.sellsTo), random) },
  }
}

/**
 * Returns a random address in the country with this ISO 3166-1 code. Its phone number is from a range for fiction, or
 * null.
 */
export function makePlace(code: CountryCode, random: SeededRandom): Omit<OrderAddress, 'firstName' | 'lastName'> {
  const country: Country = COUNTRIES[code]
  const { city, state, postalCode } = random.pick(country.cities)
  return {
    line1: random.pick(country.streets).replace('#', String(random.between(1, 148))),
    line2: random.chance(0.15) ? `c/o ${random.pick(LAST_NAMES)}` : null,
    city,
    state,
    postalCode,
    country: code,
    phone: country.phone === null || random.chance(0.3) ? null : phoneOf(country.phone, random),
  }
}

/** Returns a phone number for the pattern, in which `#` is a digit. */
function phoneOf(pattern: string, random: SeededRandom): string {
  return pattern.replaceAll('#', () => String(random.between(0, 9)))
}
