// What the merchant's dashboard needs: accounts and who has which store, what each key did lately, and forms that were
// sent. The tables of accounts have the columns that better-auth 1.7.5 asks for, under our names.

/** The statements, in their order. */
export const STATEMENTS = [
  // in the order of `stores remove`, which changes a store and then its keys
  'lock table stores in share row exclusive mode',
  'alter table api_keys add column replaces uuid references api_keys (id)',
  // a key has one successor at a time
  'create unique index api_keys_replaces on api_keys (replaces) where revoked_at is null',
  'alter table usage_hours add column peak_minute integer not null default 0',
  `create table request_lines (
    key_id uuid not null,
    at timestamptz not null,
    endpoint text not null,
    status smallint not null,
    code text,
    rows integer not null,
    duration_ms integer not null
  )`,
  'create index request_lines_key on request_lines (key_id, at)',
  `create table walks (
    key_id uuid not null,
    endpoint text not null,
    filters text not null,
    begun_at timestamptz not null,
    last_at timestamptz not null,
    requests integer not null,
    pages integer not null,
    rows bigint not null,
    ended boolean not null,
    primary key (key_id, endpoint, filters, begun_at)
  )`,
  `create table merchants (
    id text primary key,
    name text not null,
    email text not null unique,
    email_verified boolean not null,
    image text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create table merchant_sessions (
    id text primary key,
    token text not null unique,
    merchant_id text not null references merchants (id) on delete cascade,
    expires_at timestamptz not null,
    ip_address text,
    user_agent text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index merchant_sessions_merchant on merchant_sessions (merchant_id)',
  `create table merchant_logins (
    id text primary key,
    account_id text not null,
    provider_id text not null,
    merchant_id text not null references merchants (id) on delete cascade,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamptz,
    refresh_token_expires_at timestamptz,
    scope text,
    password text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (provider_id, account_id)
  )`,
  'create index merchant_logins_merchant on merchant_logins (merchant_id)',
  `create table merchant_links (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index merchant_links_identifier on merchant_links (identifier)',
  `create table memberships (
    merchant_id text not null references merchants (id) on delete cascade,
    store_id uuid not null references stores (id),
    created_at timestamptz not null default clock_timestamp(),
    primary key (merchant_id, store_id)
  )`,
  'create index memberships_store on memberships (store_id)',
  // Unlogged: a crash of the server forgets who guessed, and for how long.
  `create unlogged table sign_in_attempts (
    scope bytea primary key,
    window_ends_at timestamptz not null,
    attempts integer not null,
    level smallint not null
  )`,
  `create table sent_forms (
    number bytea primary key,
    sent_at timestamptz not null default clock_timestamp()
  )`,
]
