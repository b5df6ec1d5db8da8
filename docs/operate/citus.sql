-- Distributes the tables of a store with Citus. Orders stay together with their items, and products with their variants.
-- All other tables become reference tables. Run this file as the owner of the store, after you create its tables and before
-- you write rows. docs/operate/other-servers.md lists what such a store lacks.

-- Workers can't run triggers that write another table. So these triggers no longer set updated_at of an order, product, or
-- customer when only its items, variants, or addresses change. The platform must set it.
drop trigger order_items_inserted on public.order_items;
drop trigger order_items_updated on public.order_items;
drop trigger order_items_deleted on public.order_items;
drop trigger order_items_truncated on public.order_items;
drop trigger product_variants_inserted on public.product_variants;
drop trigger product_variants_updated on public.product_variants;
drop trigger product_variants_deleted on public.product_variants;
drop trigger product_variants_truncated on public.product_variants;
drop trigger customer_addresses_inserted on public.customer_addresses;
drop trigger customer_addresses_updated on public.customer_addresses;
drop trigger customer_addresses_deleted on public.customer_addresses;
drop trigger customer_addresses_truncated on public.customer_addresses;

-- Allows the row triggers that set updated_at. They are safe here, because they read and write only their own row.
set citus.enable_unsafe_triggers = on;

-- Citus requires that a unique constraint of a distributed table contains its distribution column.
alter table public.order_items drop constraint order_items_pkey, add primary key (id, order_id);
alter table public.product_variants drop constraint product_variants_pkey, add primary key (id, product_id),
  drop constraint product_variants_sku_key;
alter table public.products drop constraint products_slug_key;
create index on public.product_variants (sku);
create index on public.products (slug);

alter table public.order_items drop constraint order_items_order_id_fkey;
alter table public.product_variants drop constraint product_variants_product_id_fkey;
select create_distributed_table('public.orders', 'id');
select create_distributed_table('public.order_items', 'order_id', colocate_with => 'public.orders');
select create_distributed_table('public.products', 'id', colocate_with => 'none');
select create_distributed_table('public.product_variants', 'product_id', colocate_with => 'public.products');
alter table public.order_items add constraint order_items_order_id_fkey
  foreign key (order_id) references public.orders (id) on delete cascade;
alter table public.product_variants add constraint product_variants_product_id_fkey
  foreign key (product_id) references public.products (id) on delete cascade;

select create_reference_table('public.store');
select create_reference_table('public.categories');
select create_reference_table('public.locations');
select create_reference_table('public.customer_groups');
select create_reference_table('public.customers');
select create_reference_table('public.customer_addresses');
