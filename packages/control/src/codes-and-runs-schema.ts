// Adds `code` (a two-factor code) to the ways in which a session was opened. Adds the ID of the latest run to
// idempotent requests, so that an abandoned run that continues can't overwrite the result of a later one.

/** SQL of the tenth migration. */
export const CODES_AND_RUNS_SCHEMA = `
  -- null: by a password or a link, without a code
  alter table merchant_sessions
    drop constraint merchant_sessions_opened_by_check,
    add constraint merchant_sessions_opened_by_check check (opened_by in ('passkey', 'code', 'single_sign_on'));

  -- the latest run of the request; a repetition of an abandoned request gets a new ID
  alter table idempotency_keys add column run_id uuid not null default gen_random_uuid()`
