// Serves a schema with PostGraphile as its documentation recommends: the Amber preset, and the HTTP server of Node.js.
// It reads the store with the service's role. The peer doesn't check keys or count requests.

import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { printListening, readPeerEnvironment } from './environment.ts'

/** Options of the pool. Connections stay open while other servers have their turn. */
const POOL = { max: 8, idleTimeoutMillis: 60_000 }

const { port, databaseUrl } = readPeerEnvironment()
const service = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: databaseUrl, schemas: ['public'], poolConfig: POOL })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
await service.createServ(grafserv).addTo(server)
server.listen(port, '127.0.0.1', () => printListening(port, process.pid))
