// Starts the PostgreSQL servers to measure, each in a temporary folder that is removed with the server.

import { rmSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/operator/src/embedded/embedded-postgres.ts'
import type { ServerSettings } from '../../packages/operator/src/embedded/server-settings.ts'
import type { ServerKind } from './options.ts'
import { findSystemBinaries, startSystemPostgres } from './system-postgres.ts'

/** A running PostgreSQL server with an empty cluster. */
export interface BenchServer {
  readonly kind: ServerKind
  readonly processId: number
  /** Returns the superuser's URL of a database, over TCP. */
  url(database: string): string
  /** Stops the server and removes its folder. */
  remove(): Promise<void>
}

/**
 * Starts a server with these settings. For `system`, its programs are in the folder that BENCH_POSTGRES_BIN names, or
 * in that of the newest installed version. Returns null if none is installed. Rejects if the named folder has no
 * programs.
 */
export async function startBenchServer(kind: ServerKind, settings: ServerSettings = {}): Promise<BenchServer | null> {
  if (kind === 'embedded') return startEmbedded(settings)
  const binaries = await findSystemBinaries(process.env.BENCH_POSTGRES_BIN)
  if (binaries === null) return null
  return startSystemPostgres({ binaries, dataFolder: await makeFolder(), port: await freePort(), settings })
}

async function startEmbedded(settings: ServerSettings): Promise<BenchServer> {
  const dataFolder = await makeFolder()
  const server = await startEmbeddedPostgres({ dataFolder, tcpPort: await freePort(), settings })
  return {
    kind: 'embedded',
    processId: server.processId,
    url: server.url,
    remove: async () => {
      await server.stop()
      await removeEmbeddedPostgres(dataFolder)
    },
  }
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-bench-'))
  // If the benchmark runs as root, the server runs as another user, which needs access to the folder.
  await chmod(folder, 0o711)
  // This also runs after an error, and after a signal that the program handles. `startServer` has its own exit handler,
  // which stops the server.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns a port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })
}
