// Lets sessions record that a two-factor code opened them, and adds the ID of the latest run to idempotent requests.

/** SQL of the tenth migration. */
export const CODES_AND_RUNS_SCHEMA = `
  -- null: by a password or a link, without a code
  alter table merchant_sessions
    drop constraint merchant_sessions_opened_by_check,
    add constraint merchant_sessions_opened_by_check check (opened_by in ('passkey', 'code', 'single_sign_on'));

  -- the run of the request; a repetition of an abandoned request is another run
  alter table idempotency_keys add column run_id uuid not null default gen_random_uuid()`
