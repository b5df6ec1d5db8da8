// Declares the tables of the control database, as its first migration creates them. The tables of accounts have the
// columns that better-auth 1.7.5 needs, under different names. `request_counters` is a logged table, so that the counts
// survive a crash of the database. See docs/contribute/decisions/038-store-the-request-counters-in-a-logged-table.md.

/** SQL of the first migration, which `AUDIT_SCHEMA` completes. */
export const SCHEMA = `
  create table stores (
    id uuid primary key,
    -- the platform's own ID; removing a store frees it
    external_id text,
    name text not null check (char_length(name) between 1 and 200),
    origin text not null check (origin in ('generated', 'imported')),
    state text not null check (state in ('generating', 'ready')),
    database_url text,
    database_password text,
    -- several stores can share a database, each in a schema of its own
    schema_name text not null default 'public',
    created_at timestamptz not null default clock_timestamp(),
    removed_at timestamptz,
    constraint stores_ready_has_url check (
      state = 'generating' or origin = 'imported' or removed_at is not null or database_url is not null),
    constraint stores_removed_forgets check (
      removed_at is null or (database_url is null and database_password is null)),
    constraint stores_password_has_url check (database_url is not null or database_password is null)
  );
  create unique index stores_external_id on stores (external_id) where removed_at is null;

  create table api_keys (
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
    revoked_at timestamptz,
    -- not null: the key is off until it is turned on again
    turned_off_at timestamptz,
    replaces uuid references api_keys (id),
    -- the replaced key ends this many hours after the first use of this key; null: it ended at once
    replaced_key_hours smallint check (replaced_key_hours > 0),
    -- null: the key may read every resource
    scopes text[] check (cardinality(scopes) > 0),
    without_personal_data boolean not null default false,
    expires_at timestamptz,
    -- the end of a replaced key
    retires_at timestamptz,
    -- null: the key works from every address
    allowed_addresses cidr[] check (cardinality(allowed_addresses) > 0)
  );
  create unique index api_keys_active_slot on api_keys (store_id, slot) where revoked_at is null;
  create index api_keys_store on api_keys (store_id, created_at);
  -- a key has one successor at a time
  create unique index api_keys_replaces on api_keys (replaces) where revoked_at is null;

  -- Half-empty pages keep updates in place.
  create table request_counters (
    key_id uuid primary key,
    minute timestamptz not null,
    requests integer not null
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

  create table usage_hours (
    key_id uuid not null,
    hour timestamptz not null,
    successful bigint not null default 0,
    client_errors bigint not null default 0,
    rejected bigint not null default 0,
    failed bigint not null default 0,
    peak_minute integer not null default 0,
    -- bit n: the key sent a request in minute n of the hour
    active_minutes bigint not null default 0,
    primary key (key_id, hour)
  );
  create index usage_hours_hour on usage_hours (hour);

  -- Half-empty pages keep the updates of the current minute in place: without them the table grows fourfold.
  create table request_log (
    key_id uuid not null,
    minute timestamptz not null,
    endpoint text not null,
    status smallint not null,
    code text not null,
    reason text not null default '',
    requests integer not null,
    rows bigint not null,
    duration_ms integer not null,
    last_at timestamptz not null,
    last_request_id text not null default '',
    primary key (key_id, minute, endpoint, status, code, reason)
  ) with (fillfactor = 50);
  -- for the daily deletion of old lines
  create index request_log_minute on request_log (minute);

  create table walks (
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
  );

  -- emails about keys that were sent
  create table alerts (
    key_id uuid not null references api_keys (id) on delete cascade,
    kind text not null,
    -- what distinguishes the problem from an earlier one of its kind
    occurrence text not null,
    -- in UTC
    day date not null,
    primary key (key_id, kind, occurrence),
    unique (key_id, kind, day)
  );
  create index alerts_day on alerts (day);

  -- one row: when a node last began to check all keys
  create table alert_rounds (
    id boolean primary key check (id),
    begun_at timestamptz not null,
    -- since when no check was missed
    steady_since timestamptz not null
  );

  create table service_secrets (
    name text primary key,
    value bytea not null
  );

  -- the running nodes, and fingerprints of the secrets that each of them holds
  create table nodes (
    id uuid primary key,
    name text not null,
    secrets text[] not null,
    started_at timestamptz not null default clock_timestamp(),
    seen_at timestamptz not null default clock_timestamp()
  );

  create table merchants (
    id text primary key,
    name text not null,
    email text not null unique,
    email_verified boolean not null,
    two_factor_enabled boolean not null default false,
    image text,
    -- primary language tag of the dashboard and of emails; null for the language of the browser
    language text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );

  create table merchant_sessions (
    id text primary key,
    token text not null unique,
    merchant_id text not null references merchants (id) on delete cascade,
    expires_at timestamptz not null,
    ip_address text,
    user_agent text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index merchant_sessions_merchant on merchant_sessions (merchant_id);

  create table merchant_logins (
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
  );
  create index merchant_logins_merchant on merchant_logins (merchant_id);

  create table merchant_two_factors (
    id text primary key,
    merchant_id text not null unique references merchants (id) on delete cascade,
    -- encrypted with the dashboard's secret, like backup_codes
    secret text not null,
    backup_codes text not null,
    -- false until the merchant has entered the first code
    verified boolean not null,
    failed_verification_count integer not null default 0,
    locked_until timestamptz
  );

  create table merchant_links (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index merchant_links_identifier on merchant_links (identifier);

  create table memberships (
    merchant_id text not null references merchants (id) on delete cascade,
    store_id uuid not null references stores (id),
    created_at timestamptz not null default clock_timestamp(),
    primary key (merchant_id, store_id)
  );
  create index memberships_store on memberships (store_id);

  create table invitations (
    id uuid primary key,
    store_id uuid not null references stores (id),
    email text not null,
    -- SHA-256 of the token in the link
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    -- hashes of the links that newer emails replaced
    replaced_hashes bytea[] not null default '{}',
    invited_by text not null references merchants (id) on delete cascade,
    sent_at timestamptz not null default clock_timestamp(),
    -- emails up to sent_at with less than a day between them
    sends smallint not null default 1,
    expires_at timestamptz not null,
    -- null: pending
    outcome text check (outcome in ('accepted', 'withdrawn'))
  );
  create unique index invitations_pending on invitations (store_id, email) where outcome is null;
  create index invitations_replaced on invitations using gin (replaced_hashes);
  create index invitations_email on invitations (email);
  create index invitations_sent on invitations (store_id, sent_at);
  create index invitations_inviter on invitations (invited_by);

  -- After the removal of a member, neither an invitation by the member nor an older one to the member gives access.
  create function withdraw_invitations() returns trigger language plpgsql as $$
  begin
    update invitations set outcome = 'withdrawn'
    where store_id = old.store_id and outcome is null
      and (invited_by = old.merchant_id or email = (select email from merchants where id = old.merchant_id));
    return null;
  end $$;
  create trigger memberships_withdraw_invitations after delete on memberships
    for each row execute function withdraw_invitations();

  -- merchants who want no emails about a key
  create table alert_mutes (
    key_id uuid not null references api_keys (id) on delete cascade,
    merchant_id text not null references merchants (id) on delete cascade,
    primary key (key_id, merchant_id)
  );
  create index alert_mutes_merchant on alert_mutes (merchant_id);

  -- Unlogged: after a crash of the server, the attempts are counted from zero.
  create unlogged table sign_in_attempts (
    scope bytea primary key,
    window_ends_at timestamptz not null,
    attempts integer not null,
    level smallint not null
  );

  create table used_form_tokens (
    token_hash bytea primary key,
    used_at timestamptz not null default clock_timestamp()
  )`
