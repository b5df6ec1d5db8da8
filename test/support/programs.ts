// Programs of the machine's own that stand between clients, nodes and databases: nginx, HAProxy, PgBouncer. Each is
// started on a file of settings in a folder of its own, and ended after the test.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { waitUntil } from '../../packages/operator/test/support/embedded-server.ts'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'

/** A program that listens on a port of 127.0.0.1. */
export interface Listening {
  readonly port: number
  readonly url: string
  /** Its folder, where it writes its log. */
  readonly folder: string
  /** Ends it with a signal, by default at once. */
  end(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again on the same port, after an end. */
  start(): Promise<void>
}

/** One that runs until it is removed, folder and all. */
export interface Running extends Listening {
  remove(): Promise<void>
}

/** What is written for a program, and how it is called. */
interface Program {
  readonly name: 'nginx' | 'haproxy' | 'pgbouncer'
  readonly settings: (place: Place) => Readonly<Record<string, string>>
  readonly parameters: (folder: string) => readonly string[]
  /** A free one by default. */
  readonly port?: number
  /** The user it runs as where the tests run as root. */
  readonly user?: number
}

/** nobody */
const UNPRIVILEGED = 65_534

/** What a file of settings needs to know. */
interface Place {
  readonly port: number
  readonly folder: string
}

/** nginx with `http`, what stands in its block `http`; all else is its default. */
export function startNginx(http: (place: Place) => string): Promise<Listening> {
  return startNginxOn((place) => `events {}\nhttp {\n  access_log off;\n  ${http(place)}\n}\n`)
}

/** nginx with a whole file of settings, but for its folders. */
export function startNginxOn(file: (place: Place) => string): Promise<Listening> {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return startProgram({
    name: 'nginx',
    settings: (place) => ({
      'nginx.conf': file(place).replace(
        /^http \{$/m,
        `http {\n${folders.map((name) => `  ${name}_temp_path ${place.folder}/${name};\n`).join('')}`,
      ),
    }),
    parameters: (folder) => [
      ...['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`, '-g'],
      `daemon off; pid ${folder}/nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}`,
    ],
  })
}

/** HAProxy before `nodes`, taken in turn, with the defaults that Debian ships; `check` is what stands behind a server. */
export function startHaproxy(nodes: readonly string[], check = ''): Promise<Listening> {
  const servers = nodes.map((url, index) => `  server node${index} ${new URL(url).host} ${check}`)
  return startHaproxyOn(
    ({ port }) => `defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
frontend api
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
${servers.join('\n')}
`,
  )
}

/** HAProxy with a whole file of settings. */
export function startHaproxyOn(file: (place: Place) => string): Promise<Listening> {
  return startProgram({
    name: 'haproxy',
    settings: (place) => ({ 'haproxy.cfg': file(place) }),
    parameters: (folder) => ['-db', '-f', `${folder}/haproxy.cfg`],
  })
}

/**
 * PgBouncer in transaction mode on `port`, for the users of `urls`, which all lead to one server; `settings` are further
 * lines of its file.
 */
export async function startPgbouncer(options: PgbouncerOptions): Promise<Listening> {
  const pgbouncer = await runPgbouncer(options)
  onTestFinished(pgbouncer.remove)
  return pgbouncer
}

/** What PgBouncer is started with. */
export interface PgbouncerOptions {
  readonly port: number
  readonly urls: readonly string[]
  readonly settings?: string
}

/** The same, for longer than a test. */
export function runPgbouncer(options: PgbouncerOptions): Promise<Running> {
  const { urls, settings = '', port } = options
  const server = new URL(urls[0] ?? '')
  const users = urls.map((url) => new URL(url)).map((url) => ({ name: url.username, password: url.password }))
  return runProgram({
    name: 'pgbouncer',
    port,
    user: UNPRIVILEGED,
    settings: ({ port, folder }) => ({
      'users.txt': users.map(({ name, password }) => `"${name}" "${decodeURIComponent(password)}"\n`).join(''),
      'pgbouncer.ini': `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users.txt
logfile = ${folder}/pgbouncer.log
pidfile = ${folder}/pgbouncer.pid
pool_mode = transaction
${settings}
`,
    }),
    parameters: (folder) => [`${folder}/pgbouncer.ini`],
  })
}

async function startProgram(program: Program): Promise<Listening> {
  const running = await runProgram(program)
  onTestFinished(running.remove)
  return running
}

async function runProgram(program: Program): Promise<Running> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `store-export-fleet-${program.name}-`))
  const port = program.port ?? (await nonEphemeralPort())
  const user = process.getuid?.() === 0 ? program.user : undefined
  for (const [name, text] of Object.entries(program.settings({ port, folder })))
    await writeFile(path.join(folder, name), text)
  if (user !== undefined) chownSync(folder, user, user)
  else await chmod(folder, 0o755)
  const command = pathOf(program.name)
  const as = user === undefined ? {} : { uid: user, gid: user }
  const launch = () => {
    const child = spawn(command, program.parameters(folder), { ...as, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const said: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
    return { child, ended: once(child, 'close'), said: () => Buffer.concat(said).toString() }
  }
  let now = launch()
  const isUp = () => {
    if (now.child.exitCode !== null) throw new Error(`${program.name} ended: ${now.said()}`)
    return accepts(port)
  }
  const end = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (now.child.exitCode === null && now.child.signalCode === null) now.child.kill(signal)
    await now.ended
  }
  const remove = async () => {
    await end('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
  await waitUntil(isUp).catch(async (error) => {
    await remove()
    throw error
  })
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    folder,
    end,
    remove,
    async start() {
      now = launch()
      await waitUntil(isUp)
    },
  }
}

function pathOf(name: string): string {
  const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']
  const found = folders.map((folder) => path.join(folder, name)).find(canRun)
  if (found === undefined)
    throw new Error(`${name} is not installed: npm run test:fleet needs nginx, haproxy, pgbouncer`)
  return found
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether a program listens on this port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
