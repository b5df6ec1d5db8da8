-- v1.6: weights in grams. The unit of the store is for display only.

alter table public.products add column weight_grams numeric;
alter table public.product_variants add column weight_grams numeric;
alter table public.store add column weight_unit text;
