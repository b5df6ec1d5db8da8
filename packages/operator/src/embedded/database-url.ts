// Builds URLs of the embedded databases. For a Unix socket, they have libpq's form, which psql and other programs
// accept.

/** The port of a server, and its socket folder or the password for 127.0.0.1. The password must be safe in a URL. */
export type ServerAddress = { port: number } & ({ socketFolder: string } | { password: string })

/** Returns the URL of a database. In the URL of a socket, clients ignore `localhost`, because `host` is the folder. */
export function databaseUrl(server: ServerAddress, user: string, database: string): string {
  const name = encodeURIComponent(database)
  if ('password' in server) return `postgresql://${user}:${server.password}@127.0.0.1:${server.port}/${name}`
  return `postgresql://${user}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.socketFolder)}`
}
