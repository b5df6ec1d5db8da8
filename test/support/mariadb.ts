// Starts the installed MariaDB with an empty data folder.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { waitUntil } from '../../packages/operator/test/support/embedded-server.ts'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'
import { accepts, pathOf, UNPRIVILEGED } from './programs.ts'

export interface MariaDb {
  /** URL of the server without a database. Its user has all privileges and no password. */
  readonly url: string
  /** Stops the server and removes its data. */
  remove(): Promise<void>
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startMariaDb(): Promise<MariaDb> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-mariadb-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  const identity = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  const data = path.join(folder, 'data')
  const install = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db']
  execFileSync(pathOf('mariadb-install-db'), install, { ...identity, cwd: folder, stdio: 'ignore' })
  const port = await nonEphemeralPort()
  const parameters = [
    ...['--no-defaults', `--datadir=${data}`, `--port=${port}`, '--bind-address=127.0.0.1'],
    ...[`--socket=${path.join(folder, 'socket')}`, `--pid-file=${path.join(folder, 'pid')}`],
  ]
  const child = spawn(pathOf('mariadbd'), parameters, { ...identity, cwd: folder, stdio: 'ignore' })
  const ended = once(child, 'close')
  await waitUntil(() => {
    if (child.exitCode !== null) throw new Error(`mariadbd ended with code ${child.exitCode}`)
    return accepts(port)
  })
  return {
    url: `mysql://root@127.0.0.1:${port}`,
    async remove() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
