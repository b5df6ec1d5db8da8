/** SQL of the fourth migration, which marks the memberships that a claim of the OpenID Connect provider added. */
export const CLAIMS_SCHEMA = `
  alter table memberships add column from_claim boolean not null default false`
