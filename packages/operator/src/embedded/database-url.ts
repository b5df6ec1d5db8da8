// URLs of the embedded databases. Behind a Unix socket they have libpq's form, which psql and other programs read.

/** A server: a folder with its socket, or 127.0.0.1 and a password. */
export type ServerAddress = { port: number } & ({ socketFolder: string } | { password: string })

/** The URL of a database on the server for a user. */
export function databaseUrl(server: ServerAddress, user: string, database: string): string {
  const name = encodeURIComponent(database)
  if ('password' in server) return `postgresql://${user}:${server.password}@127.0.0.1:${server.port}/${name}`
  return `postgresql://${user}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.socketFolder)}`
}
