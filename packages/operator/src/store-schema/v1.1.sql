-- v1.1: phone, group, and updated_at of customers, customer groups, saved addresses, currency and payment of orders,
-- country of the store.

alter table public.store add column store_country text;

-- updated_at is null until a customer changes for the first time after this migration.
alter table public.customers
  add column phone text,
  add column group_id uuid,
  add column updated_at timestamptz;
drop index public.customers_walk;
create index customers_walk on public.customers (created_at, id, updated_at);
create index customers_changed on public.customers (updated_at, created_at, id);

create trigger updated_at_1_mark before update of updated_at on public.customers for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_mark();
create trigger updated_at_2_move before update on public.customers for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_move();
create trigger updated_at_3_keep before update of updated_at on public.customers for each row
  when (new.updated_at = '4713-01-01 00:00:00+00 BC') execute function public.updated_at_keep();

alter table public.orders
  add column currency text,
  add column payment_provider text,
  add column payment_method_id uuid,
  add column payment_method_label text;

create table public.customer_groups (
  id uuid primary key,
  name text not null,
  description text,
  is_active boolean not null default true,
  sort_order integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index customer_groups_walk on public.customer_groups (created_at, id);

create trigger updated_at_1_mark before update of updated_at on public.customer_groups for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_mark();
create trigger updated_at_2_move before update on public.customer_groups for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_move();
create trigger updated_at_3_keep before update of updated_at on public.customer_groups for each row
  when (new.updated_at = '4713-01-01 00:00:00+00 BC') execute function public.updated_at_keep();

create table public.customer_addresses (
  id uuid primary key,
  customer_id uuid not null references public.customers (id) on delete cascade,
  label text,
  first_name text not null,
  last_name text not null,
  company text,
  line1 text not null,
  line2 text,
  city text not null,
  state text,
  postal_code text not null,
  country text not null,
  phone text,
  is_default_shipping boolean not null default false,
  is_default_billing boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index customer_addresses_customer on public.customer_addresses (customer_id, created_at, id);
create index customer_addresses_walk on public.customer_addresses (created_at, id, updated_at);
create index customer_addresses_changed on public.customer_addresses (updated_at, created_at, id);

create trigger updated_at_1_mark before update of updated_at on public.customer_addresses for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_mark();
create trigger updated_at_2_move before update on public.customer_addresses for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_move();
create trigger updated_at_3_keep before update of updated_at on public.customer_addresses for each row
  when (new.updated_at = '4713-01-01 00:00:00+00 BC') execute function public.updated_at_keep();

create trigger customer_addresses_inserted after insert on public.customer_addresses
  referencing new table as new_rows
  for each statement execute function public.children_move_parent('customers', 'customer_id');
create trigger customer_addresses_updated after update on public.customer_addresses
  referencing old table as old_rows new table as new_rows
  for each statement execute function public.children_move_parent('customers', 'customer_id');
create trigger customer_addresses_deleted after delete on public.customer_addresses
  referencing old table as old_rows
  for each statement execute function public.children_move_parent('customers', 'customer_id');
create trigger customer_addresses_truncated before truncate on public.customer_addresses
  for each statement execute function public.children_move_parent('customers', 'customer_id');
