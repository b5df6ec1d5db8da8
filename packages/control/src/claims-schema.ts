/** SQL of the migration that marks memberships which come from a claim of the OpenID Connect provider. */
export const CLAIMS_SCHEMA = `
  alter table memberships add column from_claim boolean not null default false`
