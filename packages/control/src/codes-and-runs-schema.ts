// Lets sessions note that a code opened them.

/** SQL of the tenth migration. */
export const CODES_AND_RUNS_SCHEMA = `
  -- null: by a password or a link, without a code
  alter table merchant_sessions
    drop constraint merchant_sessions_opened_by_check,
    add constraint merchant_sessions_opened_by_check check (opened_by in ('passkey', 'code', 'single_sign_on'))`
