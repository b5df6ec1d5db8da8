-- v1.4: tax classes of products, and the rates that make up the tax of an order.

alter table public.products add column tax_class text;
alter table public.orders add column tax_breakdown jsonb;
