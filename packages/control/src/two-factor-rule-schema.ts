// Adds the rule of a store that its members need a second factor, and how a session was opened, to the control
// database. Replaces the function of audit-schema.ts that records changes of stores.

/** SQL of the seventh migration. */
export const TWO_FACTOR_RULE_SCHEMA = `
  alter table stores add column two_factor_required boolean not null default false;
  -- null: by a password or a link, and a code if the account needs one
  alter table merchant_sessions add column opened_by text check (opened_by in ('passkey', 'single_sign_on'));

  create or replace function audit_stores() returns trigger language plpgsql as $$
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
      where after.value is distinct from before.value and after.key <> 'two_factor_required';
      if changed is not null then
        perform audit_record('store.changed', new.id, null, null, jsonb_build_object('changed', changed));
      end if;
      if old.two_factor_required <> new.two_factor_required then
        perform audit_record(
          case when new.two_factor_required then 'two_factor_rule.enabled' else 'two_factor_rule.disabled' end,
          new.id, null, null, '{}');
      end if;
    end if;
    return null;
  end $$`
