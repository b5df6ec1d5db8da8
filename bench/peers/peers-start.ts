// Starts a peer in a separate process, as its users would, and waits until it listens.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Dataset } from '../lib/dataset.ts'
import { freePort } from '../lib/servers.ts'

/** A peer that listens. */
export interface RunningPeer {
  readonly url: string
  /** ID of the process whose processor time counts: the peer's, or one that the peer started. */
  readonly processId: number
  close(): Promise<void>
}

const LISTENING = /^listening on 127\.0\.0\.1:\d+, process (\d+)$/

/** Starts a file of bench/peers/programs. Rejects if the program exits before it listens. */
export async function startPeer(file: string, { readerUrl, controlUrl }: Dataset): Promise<RunningPeer> {
  const port = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL(`programs/${file}`, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PEER_PORT: String(port),
      PEER_DATABASE_URL: readerUrl,
      PEER_CONTROL_URL: controlUrl,
    },
  })
  // Without this handler, a failed benchmark would leave the peer running.
  const end = () => child.kill()
  process.on('exit', end)
  const processId = await listening(file, child.stdout)
  return {
    url: `http://127.0.0.1:${port}`,
    processId,
    close: async () => {
      process.off('exit', end)
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

/**
 * Returns the ID of the process that listens: the peer's, or one that it started. Drops the later output of the peer.
 */
function listening(file: string, stdout: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout })
      .on('line', (line) => {
        const processId = LISTENING.exec(line)?.[1]
        if (processId !== undefined) resolve(Number(processId))
      })
      .on('close', () => reject(new Error(`bench/peers/programs/${file} ended before it listened`)))
  })
}
