// All migrations of the control database. A released one never changes.

import { STATEMENTS as storesAndKeys } from './001-stores-and-keys.ts'
import { STATEMENTS as dashboard } from './002-dashboard.ts'
import { STATEMENTS as audit } from './006-audit.ts'
import { STATEMENTS as requestLog } from './008-request-log.ts'

/** The statements of each migration by its name. The names sort in the order in which the migrations run. */
export const MIGRATIONS: Readonly<Record<string, readonly string[]>> = {
  '001-stores-and-keys': storesAndKeys,
  '002-dashboard': dashboard,
  // the counters survive a crash of the database: docs/decisions/038-counts-survive-a-crash.md
  '003-logged-counters': ['alter table request_counters set logged'],
  // the platform's own ID of a store; removing a store frees it
  '004-external-ids': [
    'alter table stores add column external_id text',
    'create unique index stores_external_id on stores (external_id) where removed_at is null',
  ],
  // client errors of earlier hours stay among the answered requests
  '005-client-errors': ['alter table usage_hours add column client_errors bigint not null default 0'],
  '006-audit': audit,
  // the running nodes, and fingerprints of the secrets that each of them holds
  '007-nodes': [
    `create table nodes (
      id uuid primary key,
      name text not null,
      secrets text[] not null,
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp()
    )`,
  ],
  '008-request-log': requestLog,
  // for the daily deletion of old lines
  '009-request-log-minute': ['create index request_log_minute on request_log (minute)'],
  // several stores can share a database, each in a schema of its own
  '010-schema-names': ["alter table stores add column schema_name text not null default 'public'"],
}
