// Inserts rows and keys with given texts in each field that a merchant, a customer or a tool can write.

import type { Sql } from 'postgres'
import type { TestStore } from '../../../../test/support/platform.ts'

/** Statements that insert a row of a list with an `id` and a `text`. */
const LISTS = {
  products: 'insert into products (id, name, slug, price) select id, text, text, 1',
  customers: 'insert into customers (id, email, name, phone, locale) select id, text, text, text, text',
  orders: 'insert into orders (id, email, status) select id, text, text',
  categories: 'insert into categories (id, name, slug) select id, text, text',
  locations: 'insert into locations (id, name, city, country) select id, text, text, text',
  'customer-groups': 'insert into customer_groups (id, name, description) select id, text, text',
} as const

export type ListName = keyof typeof LISTS

export const LIST_NAMES: readonly string[] = Object.keys(LISTS)

/** Inserts a row with each text into each list. */
export async function fillLists({ sql }: TestStore, texts: readonly string[]): Promise<void> {
  for (const statement of Object.values(LISTS))
    await sql.unsafe(
      `${statement} from (select gen_random_uuid() as id, text from jsonb_array_elements_text($1::text::jsonb) as text)`,
      [JSON.stringify(texts)],
    )
}

/** Inserts revoked keys with usage in this hour. */
export async function addRevokedKeys(sql: Sql, storeId: string, count: number): Promise<void> {
  await sql`
    with made as (
      insert into api_keys (id, store_id, slot, name, prefix, last_four, key_hash, created_by, created_at, revoked_at)
      select gen_random_uuid(), ${storeId}, 1, 'Name', 'sdx_00000000', '0000', sha256(n::text::bytea), 'Name',
        now() - make_interval(mins => n), now()
      from generate_series(1, ${count}::int) as n returning id)
    insert into usage_hours (key_id, hour, successful) select id, date_trunc('hour', now()), 7 from made`
}

/** Sets the names and creators of the store's revoked keys, newest key first. */
export async function nameRevokedKeys(sql: Sql, storeId: string, names: readonly string[]): Promise<void> {
  await sql`
    update api_keys k set name = n.text, created_by = n.text
    from jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) with ordinality as n (text, at),
      (select id, row_number() over (order by created_at desc) as at from api_keys
        where store_id = ${storeId} and revoked_at is not null) as o
    where o.id = k.id and o.at = n.at`
}
