// Creates the table with which a distributed control database checks keys. It has one row for each key that isn't
// revoked, with everything that a check needs and the counter of the rate limit. So a check is one statement on one
// shard. Triggers copy each change of a key or a store into the table. See
// docs/contribute/decisions/088-check-keys-on-one-shard.md.
//
// This schema needs no version of its own. `migrate --distributed` first applies all migrations, so the table is
// created as of the latest migration. A release that changes this schema makes the same change in a migration, which
// does nothing if `to_regclass('admissions')` is null. So the table `migrations` says which schema a database has.

/**
 * SQL that creates the table and the triggers. The table is empty afterwards; `REPAIR_ADMISSIONS` fills it. Each
 * trigger also writes to `admission_changes`, which has no rows. With this second server in the transaction, Citus
 * commits in two phases, so a crash can't leave a change on one server only.
 */
export const ADMISSIONS_SCHEMA = `
  -- Half-empty pages have space for the new version of a counter, so that an update changes no index.
  create table admissions (
    key_hash bytea primary key,
    key_id uuid not null,
    store_id uuid not null,
    origin text not null,
    state text not null,
    database_url text,
    database_password text,
    schema_name text not null,
    scopes jsonb,
    without_personal_data boolean not null,
    allowed_addresses cidr[],
    -- '-infinity' for a key that is turned off, 'infinity' for a key without an end
    ends_at timestamptz not null,
    -- time of the last counted request, in seconds since 1970
    counted_at double precision not null default 0,
    -- the minute of the requests, in minutes since 1970
    minute bigint not null default 0,
    requests integer not null default 0
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

  create table admission_changes (id integer primary key);

  -- the keys that can work, now or after they are turned on
  create view admissible_keys as
    select k.key_hash, k.id as key_id, k.store_id, s.origin, s.state, s.database_url, s.database_password, s.schema_name,
      to_jsonb(k.scopes) as scopes, k.without_personal_data, k.allowed_addresses,
      case when k.turned_off_at is not null then '-infinity'
        else coalesce(least(k.expires_at, k.retires_at), 'infinity') end as ends_at
    from api_keys k join stores s on s.id = k.store_id
    where k.revoked_at is null and s.removed_at is null;

  create function copy_admission(hash bytea) returns void language plpgsql as $$
  declare
    k admissible_keys;
  begin
    delete from admission_changes where id = 0;
    select * into k from admissible_keys where key_hash = hash;
    if not found then
      delete from admissions where key_hash = hash;
      return;
    end if;
    insert into admissions (key_hash, key_id, store_id, origin, state, database_url, database_password, schema_name,
      scopes, without_personal_data, allowed_addresses, ends_at)
    values (k.key_hash, k.key_id, k.store_id, k.origin, k.state, k.database_url, k.database_password, k.schema_name,
      k.scopes, k.without_personal_data, k.allowed_addresses, k.ends_at)
    on conflict (key_hash) do update set origin = excluded.origin, state = excluded.state,
      database_url = excluded.database_url, database_password = excluded.database_password,
      schema_name = excluded.schema_name, scopes = excluded.scopes,
      without_personal_data = excluded.without_personal_data, allowed_addresses = excluded.allowed_addresses,
      ends_at = excluded.ends_at;
  end $$;

  create function copy_new_key() returns trigger language plpgsql as $$
  begin
    -- A concurrent change of the store waits, and then copies this key, too.
    perform from stores where id = new.store_id for share;
    perform copy_admission(new.key_hash);
    return null;
  end $$;
  create trigger copy_new_key after insert on api_keys for each row execute function copy_new_key();

  -- This function doesn't write what belongs to the store, so it needs no lock on the store's row.
  create function copy_permissions(k api_keys, is_deleted boolean) returns void language plpgsql as $$
  begin
    delete from admission_changes where id = 0;
    if is_deleted or k.revoked_at is not null then
      delete from admissions where key_hash = k.key_hash;
    else
      update admissions set scopes = to_jsonb(k.scopes), without_personal_data = k.without_personal_data,
        allowed_addresses = k.allowed_addresses,
        ends_at = case when k.turned_off_at is not null then '-infinity'
          else coalesce(least(k.expires_at, k.retires_at), 'infinity') end
      where key_hash = k.key_hash;
    end if;
  end $$;

  -- Calls a function, because Citus opens a transaction on the worker only for statements of a function in a query.
  create function copy_changed_key() returns trigger language plpgsql as $$
  begin
    perform copy_permissions(case when tg_op = 'DELETE' then old else new end, tg_op = 'DELETE');
    return null;
  end $$;
  create trigger copy_deleted_key after delete on api_keys for each row execute function copy_changed_key();
  -- The condition ignores last_used_at, which the usage recorder changes for many keys.
  create trigger copy_changed_key after update on api_keys for each row
    when ((old.revoked_at, old.turned_off_at, old.expires_at, old.retires_at, old.scopes, old.without_personal_data,
        old.allowed_addresses)
      is distinct from (new.revoked_at, new.turned_off_at, new.expires_at, new.retires_at, new.scopes,
        new.without_personal_data, new.allowed_addresses))
    execute function copy_changed_key();

  create function copy_changed_store() returns trigger language plpgsql as $$
  begin
    perform copy_admission(key_hash) from api_keys where store_id = new.id and revoked_at is null;
    return null;
  end $$;
  create trigger copy_changed_store after update on stores for each row
    when ((old.origin, old.state, old.database_url, old.database_password, old.schema_name, old.removed_at)
      is distinct from (new.origin, new.state, new.database_url, new.database_password, new.schema_name, new.removed_at))
    execute function copy_changed_store()`

const COLUMNS = `key_hash, key_id, store_id, origin, state, database_url, database_password, schema_name, scopes,
  without_personal_data, allowed_addresses, ends_at`

/**
 * Statement that copies each key again whose row is missing or differs, and deletes rows without a key. Returns a row
 * for each of these keys. No row differs unless the table or a worker was restored from a backup.
 */
export const REPAIR_ADMISSIONS = `
  with copied as materialized (select ${COLUMNS} from admissions),
    differing as (
      (table admissible_keys except table copied) union all (table copied except table admissible_keys)
    )
  select copy_admission(key_hash) from (select distinct key_hash from differing) as keys`
