// PostGraphile as its documentation serves a schema: the Amber preset before Node's own HTTP server, the store read with
// the same role. It reads no key of ours and counts no request.

import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { readPeerEnvironment, sayListening } from './environment.ts'

/** Connections outlast the turns of others. */
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
server.listen(port, '127.0.0.1', () => sayListening(port, process.pid))
