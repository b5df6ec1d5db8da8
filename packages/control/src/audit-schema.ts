// Creates an append-only table of changes to keys, stores, merchants, second factors, memberships, invitations, and
// secrets. Triggers write the rows, so a change with psql leaves a row too. Two events have no trigger:
// `secrets.rotated` (rotate-secrets.ts) and `sign_in_link.created` (audit-events.ts). See
// docs/contribute/decisions/039-copy-audit-events-to-the-log.md.
//
// Later migrations replace five of the functions: permission-changes-schema.ts (audit_api_keys),
// two-factor-rule-schema.ts (audit_stores), and directory-schema.ts (audit_merchants, audit_memberships, and
// audit_invitations). Others add triggers for passkeys, admin tokens, and directories.

/** SQL that creates the audit table and its triggers, to run after `SCHEMA`. */
export const AUDIT_SCHEMA = `
  create table audit_events (
    id uuid primary key default gen_random_uuid(),
    at timestamptz not null default clock_timestamp(),
    actor text not null,
    action text not null,
    store_id uuid,
    key_id uuid,
    merchant_id text,
    details jsonb not null default '{}'
  );
  create index audit_events_at on audit_events (at);
  -- for the dashboard's page of a store
  create index audit_events_store on audit_events (store_id, at, id);

  -- events that no node has written to its log yet
  create table audit_unlogged (
    event_id uuid primary key references audit_events (id)
  );

  create function audit_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'audit_events is append-only';
  end $$;
  create trigger audit_events_append_only before update or delete or truncate on audit_events
    for each statement execute function audit_refuse_change();

  -- The code names the actor of a merchant's change in store_export.actor (namingActor in access/keys.ts). Otherwise,
  -- the actor is the session's application_name, such as psql.
  create function audit_record(action text, store uuid, key uuid, merchant text, details jsonb) returns void
  language plpgsql as $$
  declare
    made uuid;
  begin
    insert into audit_events (actor, action, store_id, key_id, merchant_id, details)
    values (
      coalesce(nullif(current_setting('store_export.actor', true), ''), current_setting('application_name')),
      action, store, key, merchant, details)
    returning id into made;
    insert into audit_unlogged (event_id) values (made);
  end $$;

  -- The service marks an ended key as revoked at its end (endExpiredKeys in access/keys.ts). So equal times mean that
  -- the key expired. namingActor names other details of a revocation in store_export.details.
  create function audit_api_keys() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('key.created', new.store_id, new.id, null, '{}');
    elsif old.revoked_at is null and new.revoked_at is not null then
      perform audit_record('key.revoked', new.store_id, new.id, null,
        case when new.revoked_at = least(new.expires_at, new.retires_at) then '{"reason": "expired"}'
          else coalesce(nullif(current_setting('store_export.details', true), ''), '{}') end::jsonb);
    elsif (old.turned_off_at is null) <> (new.turned_off_at is null) then
      perform audit_record(case when new.turned_off_at is null then 'key.turned_on' else 'key.turned_off' end,
        new.store_id, new.id, null, '{}');
    elsif old.name <> new.name then
      perform audit_record('key.renamed', new.store_id, new.id, null, '{}');
    end if;
    return null;
  end $$;
  create trigger audit_api_keys after insert or update of revoked_at, turned_off_at, name on api_keys
    for each row execute function audit_api_keys();

  -- A rotation of the encryption secret updates the stored password, but no setting of a store. It sets
  -- store_export.rotating, and records one event secrets.rotated instead of one event per store.
  create function audit_stores() returns trigger language plpgsql as $$
  declare
    changed jsonb;
  begin
    if tg_op = 'INSERT' then
      perform audit_record('store.added', new.id, null, null, '{}');
    elsif old.removed_at is null and new.removed_at is not null then
      perform audit_record('store.removed', new.id, null, null, '{}');
    elsif coalesce(current_setting('store_export.rotating', true), '') <> 'on' then
      select jsonb_agg(after.key order by after.key) into changed
      from jsonb_each(to_jsonb(new)) as after join jsonb_each(to_jsonb(old)) as before using (key)
      where after.value is distinct from before.value;
      if changed is not null then
        perform audit_record('store.changed', new.id, null, null, jsonb_build_object('changed', changed));
      end if;
    end if;
    return null;
  end $$;
  create trigger audit_stores after insert or update on stores for each row execute function audit_stores();

  create function audit_merchants() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('merchant.added', null, null, new.id, '{}');
    else
      perform audit_record('merchant.removed', null, null, old.id, '{}');
    end if;
    return null;
  end $$;
  create trigger audit_merchants after insert or delete on merchants for each row execute function audit_merchants();

  -- The dashboard changes the setting through better-auth, which can't name the actor. So the actor is the merchant.
  create function audit_two_factor() returns trigger language plpgsql as $$
  begin
    if current_setting('application_name') = 'store-export control' then
      perform set_config('store_export.actor', 'merchant ' || new.id, true);
    end if;
    perform audit_record(case when new.two_factor_enabled then 'two_factor.enabled' else 'two_factor.disabled' end,
      null, null, new.id, '{}');
    return null;
  end $$;
  create trigger audit_two_factor after update of two_factor_enabled on merchants
    for each row when (old.two_factor_enabled <> new.two_factor_enabled) execute function audit_two_factor();

  create function audit_memberships() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('membership.added', new.store_id, null, new.merchant_id, '{}');
    else
      perform audit_record('membership.removed', old.store_id, null, old.merchant_id, '{}');
    end if;
    return null;
  end $$;
  create trigger audit_memberships after insert or delete on memberships
    for each row execute function audit_memberships();

  -- The details have the ID of the invitation instead of its email address, because this table is never cleaned.
  create function audit_invitations() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      perform audit_record('invitation.created', new.store_id, null, null, jsonb_build_object('invitation', new.id));
    -- Only an invitation that could still be accepted counts as withdrawn.
    elsif old.outcome is null and old.expires_at > clock_timestamp() and (tg_op = 'DELETE' or new.outcome = 'withdrawn') then
      perform audit_record('invitation.withdrawn', old.store_id, null, null, jsonb_build_object('invitation', old.id));
    end if;
    return null;
  end $$;
  create trigger audit_invitations after insert or delete or update of outcome on invitations
    for each row execute function audit_invitations()`
