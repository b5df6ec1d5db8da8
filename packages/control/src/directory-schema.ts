// Adds the access of a company's directory to the control database: its tokens, the users without access, and which
// memberships it added.

/** SQL of the eleventh migration. */
export const DIRECTORY_SCHEMA = `
  create table directory_tokens (
    id uuid primary key,
    store_id uuid not null references stores (id),
    prefix text not null,
    last_four text not null,
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    -- ID of the admin; null for the command line. Not a foreign key: when the account is removed, the trigger
    -- memberships_revoke_directory_tokens must still find the token
    created_by text,
    created_at timestamptz not null default clock_timestamp(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    -- when a node sent the email about the revocation
    revocation_emailed_at timestamptz,
    -- requests in the minute of the last request
    minute timestamptz not null default 'epoch',
    requests integer not null default 0
  ) with (fillfactor = 50);
  create index directory_tokens_store on directory_tokens (store_id, created_at);

  -- how many users the directory of a store added on the day of its last addition, in UTC
  create table directory_additions (
    store_id uuid primary key references stores (id),
    day date not null,
    users integer not null
  );

  create function audit_directory_tokens() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('directory_token.created', new.store_id, null, null, jsonb_build_object('token', new.id));
    elsif old.revoked_at is null and new.revoked_at is not null then
      -- A change by another token names that token in the settings.
      perform audit_record('directory_token.revoked', new.store_id, null, null,
        coalesce(nullif(current_setting('store_export.details', true), ''), '{}')::jsonb
          || jsonb_build_object('token', new.id));
    end if;
    return null;
  end $$;
  create trigger audit_directory_tokens after insert or update of revoked_at on directory_tokens
    for each row execute function audit_directory_tokens();

  -- An admin who is removed or gets another role can have a copy of a token, and could become an admin again with it.
  create function revoke_directory_tokens() returns trigger language plpgsql as $$
  begin
    update directory_tokens set revoked_at = clock_timestamp()
    where store_id = old.store_id and created_by = old.merchant_id and revoked_at is null;
    return null;
  end $$;
  create trigger memberships_revoke_directory_tokens after delete on memberships
    for each row execute function revoke_directory_tokens();
  create trigger memberships_revoke_directory_tokens_of_former_admin after update of role on memberships
    for each row when (old.role = 'admin' and new.role <> 'admin') execute function revoke_directory_tokens();

  -- Returns the ID of the token whose request makes the change, as details of an event; {} for other changes.
  create function audit_token_details() returns jsonb language sql as $$
    select jsonb_strip_nulls(jsonb_build_object(
      'token', nullif(current_setting('store_export.details', true), '')::jsonb -> 'token'))
  $$;

  create or replace function audit_merchants() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('merchant.added', null, null, new.id, audit_token_details());
    else
      perform audit_record('merchant.removed', null, null, old.id, audit_token_details());
    end if;
    return null;
  end $$;

  create or replace function audit_memberships() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      -- If the member has accepted an invitation, invitations.ts has put its ID into the details. If the member is
      -- removed later, and an older backup is restored, replay-revocations.ts also ends the invitation.
      perform audit_record('membership.added', new.store_id, null, new.merchant_id,
        jsonb_build_object('role', new.role)
          || coalesce(nullif(current_setting('store_export.details', true), ''), '{}')::jsonb);
    elsif tg_op = 'DELETE' then
      perform audit_record('membership.removed', old.store_id, null, old.merchant_id, audit_token_details());
    elsif old.role <> new.role then
      perform audit_record('membership.role_changed', new.store_id, null, new.merchant_id,
        jsonb_build_object('role', new.role) || audit_token_details());
    end if;
    return null;
  end $$;

  create or replace function audit_invitations() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or (tg_op = 'UPDATE' and old.role <> new.role) then
      perform audit_record('invitation.created', new.store_id, null, null,
        jsonb_build_object('invitation', new.id, 'role', new.role));
    elsif old.outcome is null and old.expires_at > clock_timestamp() and (tg_op = 'DELETE' or new.outcome = 'withdrawn') then
      perform audit_record('invitation.withdrawn', old.store_id, null, null,
        jsonb_build_object('invitation', old.id) || audit_token_details());
    end if;
    return null;
  end $$;

  -- false: a directory added the account, and no person has proved that the address is theirs
  alter table merchants add column address_proved boolean not null default true;
  -- sign_in_resets.count of the last reset; 0 without one
  alter table merchants add column sign_ins_reset bigint not null default 0;

  -- One row, which each reset locks until its end. So a count shows that all resets up to it are committed.
  create table sign_in_resets (
    id boolean primary key check (id),
    count bigint not null
  );
  insert into sign_in_resets (id, count) values (true, 0);

  alter table memberships
    add column from_directory boolean not null default false,
    -- names the member in responses to a directory, because the ID of the account is the same in all stores
    add column directory_id uuid not null default gen_random_uuid(),
    -- the directory's own ID of the person
    add column directory_external_id text,
    -- when the member first opened the store; null for a member whom a directory did not add
    add column opened_at timestamptz,
    -- when something changed that a directory sees
    add column directory_changed_at timestamptz not null default clock_timestamp();
  create unique index memberships_directory_id on memberships (directory_id);
  create unique index memberships_directory_external_id on memberships (store_id, directory_external_id);

  -- users whose access the directory has ended and can give again, with the same ID
  create table directory_inactive_users (
    store_id uuid not null references stores (id),
    merchant_id text not null references merchants (id) on delete cascade,
    directory_id uuid not null unique,
    directory_external_id text,
    role text not null check (role in ('admin', 'developer', 'viewer')),
    created_at timestamptz not null,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (store_id, merchant_id),
    unique (store_id, directory_external_id)
  );
  create index directory_inactive_users_merchant on directory_inactive_users (merchant_id);

  -- People whom a directory removed, so that the claim of single sign-on gives them no access. The address is hashed,
  -- because the row outlives the account.
  create table directory_removed_users (
    store_id uuid not null references stores (id),
    email_hash bytea not null check (octet_length(email_hash) = 32),
    primary key (store_id, email_hash)
  );

  -- The role applies when the directory gives access again.
  create function audit_directory_users() returns trigger language plpgsql as $$
  begin
    perform audit_record('directory_user.role_changed', new.store_id, null, new.merchant_id,
      jsonb_build_object('role', new.role) || audit_token_details());
    return null;
  end $$;
  create trigger audit_directory_users after update of role on directory_inactive_users
    for each row when (old.role <> new.role) execute function audit_directory_users();

  -- If a person gets access again in any way, the directory sees the same user as before.
  create function adopt_inactive_user() returns trigger language plpgsql as $$
  declare
    earlier directory_inactive_users;
  begin
    delete from directory_removed_users where store_id = new.store_id
      and email_hash = (select sha256(convert_to(email, 'UTF8')) from merchants where id = new.merchant_id);
    delete from directory_inactive_users where store_id = new.store_id and merchant_id = new.merchant_id
    returning * into earlier;
    if found then
      new.directory_id := earlier.directory_id;
      new.directory_external_id := earlier.directory_external_id;
    end if;
    return new;
  end $$;
  create trigger memberships_adopt_inactive_user before insert on memberships
    for each row execute function adopt_inactive_user();

  create function note_directory_change() returns trigger language plpgsql as $$
  begin
    new.directory_changed_at := clock_timestamp();
    return new;
  end $$;
  create trigger memberships_note_directory_change before update of role, directory_external_id on memberships
    for each row when (old.role <> new.role or old.directory_external_id is distinct from new.directory_external_id)
    execute function note_directory_change()`
