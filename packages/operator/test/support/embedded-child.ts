// A program for tests that start the embedded PostgreSQL as another process or user: starts it on the folder named by
// its first argument, writes one line of JSON, and runs until it is told to end.
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts'
import { EmbeddedPostgresError } from '../../src/embedded/embedded-postgres-error.ts'

const [, , dataFolder = ''] = process.argv
try {
  const server = await startEmbeddedPostgres({ dataFolder })
  process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
  // a pending timer keeps the program alive when the server ends by itself
  setInterval(() => undefined, 60_000)
  process.stdout.write(`${JSON.stringify({ processId: server.processId, url: server.url('postgres') })}\n`)
} catch (error) {
  const problem = error instanceof EmbeddedPostgresError ? error.message : undefined
  process.stdout.write(`${JSON.stringify({ problem, error: String(error) })}\n`)
}
