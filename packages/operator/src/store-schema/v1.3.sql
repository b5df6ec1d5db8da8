-- v1.3: several languages.

alter table public.store
  add column default_locale text,
  add column enabled_locales text[];
alter table public.products add column translations jsonb;
alter table public.categories add column translations jsonb;
alter table public.orders add column locale text;
alter table public.customers add column locale text;
