// Adds changes of a key's permissions to the audit table of the control database. Replaces the function of
// audit-schema.ts that records changes of keys.

/** SQL of the fifth migration. */
export const PERMISSION_CHANGES_SCHEMA = `
  create or replace function audit_api_keys() returns trigger language plpgsql as $$
  declare
    changed jsonb;
  begin
    if tg_op = 'INSERT' then
      perform audit_record('key.created', new.store_id, new.id, null, '{}');
      return null;
    end if;
    if old.revoked_at is null and new.revoked_at is not null then
      perform audit_record('key.revoked', new.store_id, new.id, null,
        case when new.revoked_at = least(new.expires_at, new.retires_at) then '{"reason": "expired"}'
          else coalesce(nullif(current_setting('store_export.details', true), ''), '{}') end::jsonb);
    elsif (old.turned_off_at is null) <> (new.turned_off_at is null) then
      perform audit_record(case when new.turned_off_at is null then 'key.turned_on' else 'key.turned_off' end,
        new.store_id, new.id, null, '{}');
    elsif old.name <> new.name then
      perform audit_record('key.renamed', new.store_id, new.id, null, '{}');
    end if;
    -- Only the names of the limits, because an address can belong to a person, and this table is never cleaned.
    select jsonb_agg(after.key order by after.key) into changed
    from jsonb_each(to_jsonb(new)) as after join jsonb_each(to_jsonb(old)) as before using (key)
    where after.value is distinct from before.value
      and after.key in ('scopes', 'without_personal_data', 'expires_at', 'allowed_addresses');
    if changed is not null then
      perform audit_record('key.permissions_changed', new.store_id, new.id, null,
        jsonb_build_object('changed', changed));
    end if;
    return null;
  end $$;
  drop trigger audit_api_keys on api_keys;
  create trigger audit_api_keys after insert or update of revoked_at, turned_off_at, name, scopes,
    without_personal_data, expires_at, allowed_addresses on api_keys
    for each row execute function audit_api_keys()`
