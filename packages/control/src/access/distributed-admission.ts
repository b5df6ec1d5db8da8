// The statement that checks a key and counts its requests in a distributed control database. Citus, the PostgreSQL
// extension that distributes the tables, sends it to one server (worker), because it changes one row. A change of the
// key locks the same row until the coordinator and the worker have committed the change. So the statement never accepts
// a key that was revoked before it started, even if a server stops during the revocation.

/**
 * Returns the statement, with an expression for the current time. Its values are the hash of the key, two numbers of
 * requests, and the address. The first number counts if the key has no allow list. The second number counts if the key
 * has one and the address is in it.
 *
 * Citus computes the time once, on the server that receives the statement, but refuses it in `case`, `coalesce`, and
 * `returning`. So the statement multiplies by 0 or 1 instead of using `case`, and the row stores the time.
 *
 * If the statement waits for the row while a new minute begins, the row's minute is one later than the statement's. The
 * request then counts in the new minute. If the row's minute is still later, the clock was set back, and the count
 * starts again.
 */
export function onShard(now: string): string {
  const seconds = `extract(epoch from ${now})::double precision`
  const minute = `floor(${seconds} / 60)::bigint`
  return `
update admissions set
  requests = requests * (minute between ${minute} and ${minute} + 1)::int + ${IS_ALLOWED}::int * ${TIMES},
  minute = ${minute} + (minute = ${minute} + 1)::int,
  counted_at = ${seconds}
where key_hash = $1::bytea and ends_at > ${now}
returning key_id as "keyId", store_id as "storeId", origin, state, database_url as "databaseUrl",
  database_password as "encryptedPassword", schema_name as "schemaName", scopes,
  without_personal_data as "withoutPersonalData", allowed_addresses is not null as "isLimited",
  case when ${IS_ALLOWED} then requests end as requests,
  greatest(1, least(60, ceil((minute + 1) * 60 - counted_at)))::int as "secondsToNextMinute"`
}

const IS_ALLOWED = '(allowed_addresses is null or coalesce($4::inet <<= any (allowed_addresses), false))'
const TIMES = 'case when allowed_addresses is null then $2::int else $3::int end'

/** The statement with the clock of the coordinator. */
export const ON_SHARD = onShard('statement_timestamp()')
