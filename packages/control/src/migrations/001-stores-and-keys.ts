// First shape of the control database.

/** The statements, in their order. */
export const STATEMENTS = [
  `create table stores (
    id uuid primary key,
    name text not null check (char_length(name) between 1 and 200),
    origin text not null check (origin in ('generated', 'imported')),
    state text not null check (state in ('generating', 'ready')),
    database_url text,
    database_password text,
    created_at timestamptz not null default clock_timestamp(),
    removed_at timestamptz,
    constraint stores_ready_has_url check (
      state = 'generating' or origin = 'imported' or removed_at is not null or database_url is not null),
    constraint stores_removed_forgets check (
      removed_at is null or (database_url is null and database_password is null)),
    constraint stores_password_has_url check (database_url is not null or database_password is null)
  )`,
  `create table api_keys (
    id uuid primary key,
    store_id uuid not null references stores (id),
    slot smallint not null check (slot between 1 and 5),
    name text not null,
    prefix text not null,
    last_four text not null,
    key_hash bytea not null unique check (octet_length(key_hash) = 32),
    created_by text,
    created_at timestamptz not null default clock_timestamp(),
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  'create unique index api_keys_active_slot on api_keys (store_id, slot) where revoked_at is null',
  'create index api_keys_store on api_keys (store_id, created_at)',
  // Unlogged: a crash of the server forgets at most one minute's counts. Half-empty pages keep updates in place.
  `create unlogged table request_counters (
    key_id uuid primary key,
    minute timestamptz not null,
    requests integer not null
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)`,
  `create table usage_hours (
    key_id uuid not null,
    hour timestamptz not null,
    answered bigint not null default 0,
    refused bigint not null default 0,
    failed bigint not null default 0,
    primary key (key_id, hour)
  )`,
  'create index usage_hours_hour on usage_hours (hour)',
  `create table service_secrets (
    name text primary key,
    value bytea not null
  )`,
]
