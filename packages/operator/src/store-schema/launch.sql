-- The store schema at launch. Columns have the names of the fields in the specification. A column without "or null"
-- there is not null here, and has a natural default if there is one. References from order to customer, line to
-- product, and product to category are not foreign keys, because the referenced row can be deleted earlier.

create table public.store (
  id uuid primary key,
  name text not null,
  store_name text,
  store_email text,
  store_currency text,
  store_timezone text,
  tax_included_in_prices boolean,
  shipping_enabled boolean,
  guest_checkout boolean,
  customer_accounts boolean
);
create unique index store_one_row on public.store ((true));

create table public.categories (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  description text,
  image text,
  parent_id uuid,
  "order" integer not null default 0,
  created_at timestamptz not null default now()
);
create index categories_walk on public.categories (created_at, id);

create table public.customers (
  id uuid primary key,
  email text not null unique,
  name text,
  processor_customer_id text,
  email_verified timestamptz,
  created_at timestamptz not null default now(),
  password_hash text
);
create index customers_walk on public.customers (created_at, id);

create table public.products (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  description text not null default '',
  price numeric not null,
  compare_price numeric,
  images text[] not null default '{}',
  videos text[] not null default '{}',
  status text not null default 'draft',
  category_id uuid,
  has_variants boolean not null default false,
  sku text,
  inventory integer,
  track_inventory boolean,
  continue_selling_when_out_of_stock boolean,
  product_type text,
  vendor text,
  tags text[],
  meta_title text,
  meta_description text,
  meta_keywords text[],
  metafields jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index products_walk on public.products (created_at, id, updated_at);
create index products_changed on public.products (updated_at, created_at, id);
create index products_status_walk on public.products (status, created_at, id, updated_at);

create table public.product_variants (
  id uuid primary key,
  product_id uuid not null references public.products (id) on delete cascade,
  sku text not null unique,
  name text not null,
  price numeric,
  inventory integer not null default 0,
  image text,
  video text,
  attributes jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index product_variants_product on public.product_variants (product_id, created_at, id);

create table public.orders (
  id uuid primary key,
  customer_id uuid,
  email text not null,
  status text not null default 'pending',
  subtotal numeric not null default 0,
  tax numeric not null default 0,
  shipping numeric not null default 0,
  total numeric not null default 0,
  refund_amount numeric,
  return_reason text,
  discount_code text,
  discount_amount numeric,
  shipping_address jsonb,
  billing_address jsonb,
  processor_payment_intent_id text,
  processor_charge_id text,
  receipt_url text,
  tracking_number text,
  tracking_url text,
  carrier text,
  shipping_method text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index orders_walk on public.orders (created_at, id, updated_at);
create index orders_changed on public.orders (updated_at, created_at, id);
create index orders_status_walk on public.orders (status, created_at, id, updated_at);

create table public.order_items (
  id uuid primary key,
  order_id uuid not null references public.orders (id) on delete cascade,
  product_id uuid not null,
  variant_id uuid,
  name text not null,
  price numeric not null,
  quantity integer not null default 1,
  attributes jsonb,
  created_at timestamptz not null default now()
);
create index order_items_order on public.order_items (order_id, created_at, id);

-- Every update changes updated_at, unless the statement sets it, even to its old value. A comparison of the old and the
-- new value cannot detect a statement that sets the old value, but a trigger "of updated_at" can. So three triggers run
-- in the order of their names: 1 marks a value that was set to itself, 2 changes an unchanged value, 3 removes the
-- mark. An ordinary update runs only 2.
--
-- The timestamp is clock_timestamp(), not now(). The trigger runs while the row is locked, so the timestamps of a row
-- increase with its versions. A reader can miss a row between its timestamp and the commit, and clock_timestamp() makes
-- this time as short as possible. With now(), a transaction that started early and wrote late would decrease
-- updated_at.

create function public.updated_at_mark() returns trigger language plpgsql as $$
begin
  new.updated_at := '4713-01-01 00:00:00+00 BC';
  return new;
end $$;

create function public.updated_at_move() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

create function public.updated_at_keep() returns trigger language plpgsql as $$
begin
  new.updated_at := old.updated_at;
  return new;
end $$;

create trigger updated_at_1_mark before update of updated_at on public.orders for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_mark();
create trigger updated_at_2_move before update on public.orders for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_move();
create trigger updated_at_3_keep before update of updated_at on public.orders for each row
  when (new.updated_at = '4713-01-01 00:00:00+00 BC') execute function public.updated_at_keep();

create trigger updated_at_1_mark before update of updated_at on public.products for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_mark();
create trigger updated_at_2_move before update on public.products for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_move();
create trigger updated_at_3_keep before update of updated_at on public.products for each row
  when (new.updated_at = '4713-01-01 00:00:00+00 BC') execute function public.updated_at_keep();

-- A statement that writes children changes updated_at of their parents once:
-- children_move_parent(parent table, key column).
-- - A parent that the same statement wrote (a CTE that writes an order and its items; xmin and cmin are equal) is not
--   changed, because it has the timestamp that the statement set.
-- - A deleted child leaves nothing to compare, so its parent always changes.
-- - A deleted parent cascades to its children, and their trigger finds no parent.
-- - TRUNCATE has no transition tables, so its trigger runs before it, while the children exist.
-- - EXECUTE plans each statement again: a cached plan would be for the number of rows of the first call.

create function public.children_move_parent() returns trigger language plpgsql as $$
declare
  parent constant text := tg_argv[0];
  key constant text := tg_argv[1];
begin
  if tg_op = 'TRUNCATE' then
    execute format('update public.%I set updated_at = clock_timestamp() where id in (select %I from public.%I)',
      parent, key, tg_table_name);
    return null;
  end if;
  if tg_op = 'DELETE' then
    execute format('update public.%I set updated_at = clock_timestamp() where id in (select %I from old_rows)', parent, key);
    return null;
  end if;
  execute format(
    'update public.%1$I set updated_at = clock_timestamp() where id in (
       select n.%2$I from new_rows n join public.%3$I c on c.id = n.id join public.%1$I p on p.id = n.%2$I
       where not (p.xmin = c.xmin and p.cmin = c.cmin))', parent, key, tg_table_name);
  if tg_op = 'UPDATE' then
    execute format(
      'update public.%1$I set updated_at = clock_timestamp() where id in (
         select %2$I from old_rows except select %2$I from new_rows)', parent, key);
  end if;
  return null;
end $$;

create trigger order_items_inserted after insert on public.order_items
  referencing new table as new_rows
  for each statement execute function public.children_move_parent('orders', 'order_id');
create trigger order_items_updated after update on public.order_items
  referencing old table as old_rows new table as new_rows
  for each statement execute function public.children_move_parent('orders', 'order_id');
create trigger order_items_deleted after delete on public.order_items
  referencing old table as old_rows
  for each statement execute function public.children_move_parent('orders', 'order_id');
create trigger order_items_truncated before truncate on public.order_items
  for each statement execute function public.children_move_parent('orders', 'order_id');

create trigger product_variants_inserted after insert on public.product_variants
  referencing new table as new_rows
  for each statement execute function public.children_move_parent('products', 'product_id');
create trigger product_variants_updated after update on public.product_variants
  referencing old table as old_rows new table as new_rows
  for each statement execute function public.children_move_parent('products', 'product_id');
create trigger product_variants_deleted after delete on public.product_variants
  referencing old table as old_rows
  for each statement execute function public.children_move_parent('products', 'product_id');
create trigger product_variants_truncated before truncate on public.product_variants
  for each statement execute function public.children_move_parent('products', 'product_id');
