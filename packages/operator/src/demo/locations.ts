// Generates pickup locations.

import { makePlace, type OrderAddress } from './people.ts'
import type { SeededRandom } from './random.ts'
import type { Row } from './rows.ts'
import type { DemoShop } from './shop.ts'
import { DAY, HISTORY_START, timestampText } from './timestamps.ts'
import { COUNTRIES, type Country, type CountryCode } from './words/places.ts'
import { PICKUP } from './words/texts.ts'

/** A location for orders: its ID, and the shipping address of an order that the customer picks up there. */
export interface PickupPlace {
  readonly id: string
  readonly address: OrderAddress
}

/** Latitude and longitude of a country's first cities. The numbers of digits differ, as in data that people type. */
const POINTS: Readonly<Partial<Record<CountryCode, readonly (readonly [string, string])[]>>> = {
  DE: [
    ['50.9384123', '6.9599654'],
    ['48.1373932', '11.5754485'],
    ['51.2254', '6.776300'],
  ],
  FR: [
    ['48.8590', '2.3780000'],
    ['47.902964', '1.909251'],
  ],
}

/** Generates `count` locations. Returns their rows and pickup places. */
export function makeLocations(
  shop: DemoShop,
  count: number,
  random: SeededRandom,
): { rows: Row[]; places: PickupPlace[] } {
  const made = Array.from({ length: count }, (_, index) => makeLocation(shop, index, random))
  return { rows: made.map(({ row }) => row), places: made.map(({ place }) => place) }
}

/** Returns a location in one of the first cities, which `POINTS` has coordinates for. */
function makeLocation(shop: DemoShop, index: number, random: SeededRandom): { row: Row; place: PickupPlace } {
  const country: Country = COUNTRIES[shop.country]
  const town = country.cities[index % country.cities.length]
  const place = {
    ...makePlace(shop.country, random),
    line2: null,
    ...town,
    phone: country.phone?.replaceAll('#', '1') ?? null,
  }
  const id = random.uuid()
  const name = `${shop.storeName} ${place.city}`
  return {
    row: locationRow(shop, { id, name, index, place }),
    place: { id, address: { firstName: shop.storeName, lastName: place.city, ...place } },
  }
}

function locationRow(
  shop: DemoShop,
  {
    id,
    name,
    index,
    place,
  }: { id: string; name: string; index: number; place: Omit<OrderAddress, 'firstName' | 'lastName'> },
): Row {
  const locale = shop.locales[0]
  const [latitude = null, longitude = null] = POINTS[shop.country]?.[index] ?? []
  return {
    id,
    name,
    description: index === 0 ? PICKUP.description[locale] : null,
    address1: place.line1,
    address2: place.line2,
    city: place.city,
    state: place.state,
    postal_code: place.postalCode,
    country: place.country,
    latitude,
    longitude,
    phone: place.phone,
    email: `shop${index + 1}@${shop.host}`,
    image_url: `https://images.${shop.host}/locations/${index + 1}.jpg`,
    opening_hours: JSON.stringify(openingHours(index)),
    pickup_enabled: true,
    pickup_instructions: PICKUP.instructions[locale],
    preparation_time: PICKUP.preparation[locale],
    is_active: true,
    sort_order: index,
    external_id: index === 2 ? 'POS-0003' : null,
    created_at: timestampText(HISTORY_START - 30 * DAY + index * DAY),
    updated_at: timestampText(HISTORY_START + index * 200 * DAY),
  }
}

/**
 * Returns seven days from Monday: closed on Sundays, shorter on Saturdays. Every second location is closed on Mondays.
 */
function openingHours(index: number) {
  return Array.from({ length: 7 }, (_, day) => {
    const closed = day === 6 || (day === 0 && index % 2 === 1)
    return { day, open: closed ? '' : '09:30', close: closed ? '' : day === 5 ? '16:00' : '19:00', closed }
  })
}
