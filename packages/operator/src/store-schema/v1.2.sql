-- v1.2: pickup locations. Opening hours have seven days, and day 0 is Monday. By default, a location is closed on all days.

alter table public.orders add column pickup_location_id uuid;

create table public.locations (
  id uuid primary key,
  name text not null,
  description text,
  address1 text,
  address2 text,
  city text,
  state text,
  postal_code text,
  country text,
  latitude numeric,
  longitude numeric,
  phone text,
  email text,
  image_url text,
  opening_hours jsonb not null default '[
    {"day": 0, "open": "", "close": "", "closed": true},
    {"day": 1, "open": "", "close": "", "closed": true},
    {"day": 2, "open": "", "close": "", "closed": true},
    {"day": 3, "open": "", "close": "", "closed": true},
    {"day": 4, "open": "", "close": "", "closed": true},
    {"day": 5, "open": "", "close": "", "closed": true},
    {"day": 6, "open": "", "close": "", "closed": true}
  ]',
  pickup_enabled boolean not null default true,
  pickup_instructions text,
  preparation_time text,
  is_active boolean not null default true,
  sort_order integer not null default 0,
  external_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index locations_walk on public.locations (created_at, id);

create trigger updated_at_1_mark before update of updated_at on public.locations for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_mark();
create trigger updated_at_2_move before update on public.locations for each row
  when (new.updated_at is not distinct from old.updated_at) execute function public.updated_at_move();
create trigger updated_at_3_keep before update of updated_at on public.locations for each row
  when (new.updated_at = '4713-01-01 00:00:00+00 BC') execute function public.updated_at_keep();
