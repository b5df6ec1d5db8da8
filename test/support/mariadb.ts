// Starts the installed MariaDB with an empty data folder, or the MySQL server in the folder of STORE_EXPORT_MYSQL.

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

/** Folder of an unpacked MySQL server. */
const MYSQL = process.env.STORE_EXPORT_MYSQL

export interface MariaDbOptions {
  /** The folder that gets the folder of the server. */
  readonly parent?: string
  /** More options of the server. */
  readonly options?: readonly string[]
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startMariaDb({ parent = os.tmpdir(), options = [] }: MariaDbOptions = {}): Promise<MariaDb> {
  const folder = await mkdtemp(path.join(parent, 'store-export-mariadb-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  const identity = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  const data = path.join(folder, 'data')
  const { program, common, install } = MYSQL === undefined ? mariaDb(data) : mySql(MYSQL, data)
  execFileSync(install[0], install.slice(1), { ...identity, cwd: folder, stdio: 'ignore' })
  const port = await nonEphemeralPort()
  const parameters = [
    ...[...common, `--port=${port}`, '--bind-address=127.0.0.1', ...options],
    ...[`--socket=${path.join(folder, 'socket')}`, `--pid-file=${path.join(folder, 'pid')}`],
  ]
  const child = spawn(program, parameters, { ...identity, cwd: folder, stdio: 'ignore' })
  const ended = once(child, 'close')
  await waitUntil(() => {
    if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}`)
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

interface Program {
  readonly program: string
  readonly common: readonly string[]
  /** The command that creates the data folder. */
  readonly install: readonly [string, ...string[]]
}

function mariaDb(data: string): Program {
  const common = ['--no-defaults', `--datadir=${data}`]
  const more = ['--auth-root-authentication-method=normal', '--skip-test-db']
  return { program: pathOf('mariadbd'), common, install: [pathOf('mariadb-install-db'), ...common, ...more] }
}

function mySql(folder: string, data: string): Program {
  const program = path.join(folder, 'bin', 'mysqld')
  const messages = path.join(folder, 'share')
  const common = ['--no-defaults', `--basedir=${folder}`, `--datadir=${data}`, `--lc-messages-dir=${messages}`]
  return { program, common: [...common, '--mysqlx=OFF'], install: [program, ...common, '--initialize-insecure'] }
}
