/** SQL of the migration that adds bearer tokens of the admin API, and stored responses to repeated requests. */
export const ADMIN_SCHEMA = `
  create table admin_tokens (
    id uuid primary key,
    name text not null,
    prefix text not null,
    last_four text not null,
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    created_at timestamptz not null default clock_timestamp(),
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
  );

  create table idempotency_keys (
    -- SHA-256 of the token's ID and the key
    key_hash bytea primary key check (octet_length(key_hash) = 32),
    -- SHA-256 of method, path, and body
    request_hash bytea not null check (octet_length(request_hash) = 32),
    -- the start, or the last heartbeat of a running request
    active_at timestamptz not null default clock_timestamp(),
    -- null: the first request is still running
    status smallint,
    content_type text,
    -- encrypted with the secret of the service, because it can contain keys and passwords
    response text,
    constraint idempotency_keys_complete check (
      (status is null) = (response is null) and (status is null) = (content_type is null))
  );
  create index idempotency_keys_active on idempotency_keys (active_at);

  -- The details of a revocation have only the ID, with which replay-revocations.ts can repeat it from a log.
  create function audit_admin_tokens() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('admin_token.created', null, null, null, jsonb_build_object('token', new.id, 'name', new.name));
    elsif old.revoked_at is null and new.revoked_at is not null then
      perform audit_record('admin_token.revoked', null, null, null, jsonb_build_object('token', new.id));
    end if;
    return null;
  end $$;
  create trigger audit_admin_tokens after insert or update of revoked_at on admin_tokens
    for each row execute function audit_admin_tokens()`
