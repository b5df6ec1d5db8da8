-- v1.5: custom fields of orders.

alter table public.orders add column metafields jsonb;
