// Connects tests to databases. postgres.js stands for other clients of a database, such as the platform that owns a
// store. Otherwise, tests would check the service's client with itself.

import { type Connection, connect, parseConnectionUrl } from '@store-export/postgres'
import postgres, { type Sql } from 'postgres'

/** Returns a pool of connections to the first host of a URL, without TLS. It connects on its first statement. */
export function openClient(url: string, connectionsMax = 1): Sql {
  const { hosts, user, password, database, startup } = parseConnectionUrl(url)
  const [host] = hosts
  return postgres({
    ...(host?.kind === 'tcp' ? { host: host.host, port: host.port } : { path: host?.path ?? '' }),
    user: user ?? '',
    password: password ?? '',
    database: database ?? '',
    max: connectionsMax,
    connection: { application_name: 'test', ...startup },
    onnotice: () => undefined,
  })
}

/** Connects with the service's client, for provisioning and loading. */
export function connectOnce(url: string): Promise<Connection> {
  return connect(parseConnectionUrl(url), { applicationName: 'test' })
}

/** Runs `work` with a connection of the service's client, and closes the connection. Rejects like `work`. */
export async function withConnection<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await connectOnce(url)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}
