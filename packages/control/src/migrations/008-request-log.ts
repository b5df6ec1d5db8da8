// Replaces the last 100 requests of each key by a log that is bounded by time: a line for each minute, endpoint, status and
// code; see docs/decisions/045-request-log-by-minute.md.

/** The statements, in their order. */
export const STATEMENTS = [
  'drop table request_lines',
  // Half-empty pages keep the updates of the current minute in place: without them the table grows fourfold.
  `create table request_log (
    key_id uuid not null,
    minute timestamptz not null,
    endpoint text not null,
    status smallint not null,
    code text not null,
    requests integer not null,
    rows bigint not null,
    duration_ms integer not null,
    last_at timestamptz not null,
    primary key (key_id, minute, endpoint, status, code)
  ) with (fillfactor = 50)`,
]
