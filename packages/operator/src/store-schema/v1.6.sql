-- v1.6: weights, always stored in grams; the store's unit is for display.

alter table public.products add column weight_grams numeric;
alter table public.product_variants add column weight_grams numeric;
alter table public.store add column weight_unit text;
