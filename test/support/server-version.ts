// Reads the version of a PostgreSQL server, for tests of features that need a later version.

import type { Sql } from 'postgres'

/** The reason why a test is skipped before PostgreSQL 14. */
export const INFINITE_NUMERICS = 'PostgreSQL 14 added infinite numerics'

/** Returns the major version of a server, such as 18. */
export async function majorVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ major: number }[]>`select current_setting('server_version_num')::int / 10000 as major`
  return row?.major ?? Number.NaN
}
