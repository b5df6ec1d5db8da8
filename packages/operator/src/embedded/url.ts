// URLs of the embedded databases. Behind a Unix socket they have libpq's form, which psql and other programs read.
// postgres.js does not: it takes a socket's folder from its options only and would send `host` to the server as a
// setting, so whoever connects spreads postgresOptions(url) into its options.

/** A server: a folder with its socket, or 127.0.0.1 and a password. */
export type Server = { port: number } & ({ socketFolder: string } | { password: string })

/** The URL of a database on the server for a user. */
export function databaseUrl(server: Server, user: string, database: string): string {
  const name = encodeURIComponent(database)
  if ('password' in server) return `postgresql://${user}:${server.password}@127.0.0.1:${server.port}/${name}`
  return `postgresql://${user}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.socketFolder)}`
}

/** What postgres.js needs besides, or instead of, a URL: see postgresOptions. */
export type PostgresOptions = { url: string; host?: string }

/**
 * A URL that postgres.js understands and the socket's folder as its option `host`, absent for TCP:
 * `postgres(url, { host, ... })`.
 */
export function postgresOptions(url: string): PostgresOptions {
  const parsed = new URL(url)
  const host = parsed.searchParams.get('host')
  if (host === null) return { url }
  parsed.searchParams.delete('host')
  return { url: parsed.href, host }
}
