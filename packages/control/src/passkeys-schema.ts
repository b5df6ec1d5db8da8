// Adds the passkeys of merchants to the control database. The table has the columns that @better-auth/passkey 1.7.5
// needs, under different names.

/** SQL of the third migration. */
export const PASSKEYS_SCHEMA = `
  create table merchant_passkeys (
    id text primary key,
    merchant_id text not null references merchants (id) on delete cascade,
    name text not null,
    credential_id text not null unique,
    public_key text not null,
    -- number of signatures, up to 2^32 - 1; 0 if the authenticator doesn't count. Not bigint, because better-auth needs
    -- a JavaScript number.
    counter double precision not null,
    device_type text not null,
    backed_up boolean not null,
    transports text,
    aaguid text,
    created_at timestamptz not null
  );
  create index merchant_passkeys_merchant on merchant_passkeys (merchant_id);

  -- The lock makes simultaneous additions wait for each other, so that together they can't exceed the limit.
  create function limit_passkeys() returns trigger language plpgsql as $$
  begin
    perform from merchants where id = new.merchant_id for no key update;
    if (select count(*) from merchant_passkeys where merchant_id = new.merchant_id) >= 10 then
      raise exception 'an account has at most 10 passkeys' using errcode = 'check_violation';
    end if;
    return new;
  end $$;
  create trigger merchant_passkeys_limit before insert on merchant_passkeys
    for each row execute function limit_passkeys();

  -- The dashboard adds passkeys through better-auth, which can't name the merchant. The merchant is the actor then.
  create function audit_passkeys() returns trigger language plpgsql as $$
  declare
    changed merchant_passkeys := case when tg_op = 'INSERT' then new else old end;
  begin
    if current_setting('application_name') = 'store-export control' then
      perform set_config('store_export.actor', 'merchant ' || changed.merchant_id, true);
    end if;
    perform audit_record(case when tg_op = 'INSERT' then 'passkey.added' else 'passkey.removed' end,
      null, null, changed.merchant_id, jsonb_build_object('passkey', changed.id));
    return null;
  end $$;
  create trigger audit_passkeys after insert or delete on merchant_passkeys
    for each row execute function audit_passkeys();`
