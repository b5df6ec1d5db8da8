// The statement that checks a key and counts its requests in a distributed control database. It changes one row, so
// Citus sends it to one worker. A change of the key locks the same row until all servers have committed it. So the
// statement never reads a key that was revoked before the statement started, even if a worker stops during the change.

/**
 * Returns the statement, with an expression for the current time. Its values are the hash of the key, two numbers of
 * requests, and the address. The first number counts if the key has no allow list. The second number counts if the key
 * has one and the address is in it.
 *
 * Citus restricts what the statement may contain. It computes the time once, on the coordinator, but refuses it in
 * `case`, `coalesce`, and `returning`. So numbers replace conditions, and the row stores the time.
 *
 * The minute of a row is one minute ahead if the statement waited for the row while a new minute began. The request
 * then belongs to the new minute. The minute of a row is further ahead if the clock was set back. It then starts again.
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
