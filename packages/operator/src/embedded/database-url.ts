// URLs of the embedded databases, in libpq's form for a Unix socket, which psql and other programs accept.

/** The socket folder of a server, or its password for 127.0.0.1. */
export type ServerAddress = { port: number } & ({ socketFolder: string } | { password: string })

/** Returns the URL of a database for a user. */
export function databaseUrl(server: ServerAddress, user: string, database: string): string {
  const name = encodeURIComponent(database)
  if ('password' in server) return `postgresql://${user}:${server.password}@127.0.0.1:${server.port}/${name}`
  return `postgresql://${user}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.socketFolder)}`
}
