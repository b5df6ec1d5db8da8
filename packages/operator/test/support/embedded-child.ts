// Starts the embedded PostgreSQL on the folder of its first argument, writes one line of JSON, and runs until SIGTERM.
// Tests with another process or user start this program.
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts'
import { EmbeddedPostgresError } from '../../src/embedded/embedded-postgres-error.ts'

const [, , dataFolder = ''] = process.argv
try {
  const server = await startEmbeddedPostgres({ dataFolder })
  process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
  // The timer prevents an exit of the program if the server exits.
  setInterval(() => undefined, 60_000)
  process.stdout.write(`${JSON.stringify({ processId: server.processId, url: server.url('postgres') })}\n`)
} catch (error) {
  const problem = error instanceof EmbeddedPostgresError ? error.message : undefined
  process.stdout.write(`${JSON.stringify({ problem, error: String(error) })}\n`)
}
