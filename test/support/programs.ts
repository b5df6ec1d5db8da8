// Starts the installed nginx, HAProxy, PgBouncer, and Prometheus. Each program gets its own folder with a configuration
// file, and is stopped after the test.

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
export interface ProxyProgram {
  readonly port: number
  readonly url: string
  /** The folder with its configuration and log. */
  readonly folder: string
  /** Sends a signal, by default SIGKILL, and waits until the program exits. */
  end(signal?: NodeJS.Signals): Promise<void>
  /** Starts the program again on the same port. */
  start(): Promise<void>
}

export interface RemovableProgram extends ProxyProgram {
  /** Stops the program and removes its folder. */
  remove(): Promise<void>
}

/** The files and arguments of a program. */
interface Program {
  readonly name: 'nginx' | 'haproxy' | 'pgbouncer' | 'prometheus'
  /** Content of each configuration file by name. */
  readonly settings: (location: Location) => Readonly<Record<string, string>>
  readonly parameters: (folder: string, port: number) => readonly string[]
  /** Port to listen on; a free port by default. */
  readonly port?: number
  /** ID of the program's user if the tests run as root. */
  readonly user?: number
}

/** ID of the system's user without privileges. */
export const UNPRIVILEGED = 65_534

/** Values that a configuration file contains. */
interface Location {
  readonly port: number
  readonly folder: string
}

/** Starts nginx with default settings. `http` returns the content of the block `http`. */
export function startNginx(http: (location: Location) => string): Promise<ProxyProgram> {
  return startNginxOn((location) => `events {}\nhttp {\n  access_log off;\n  ${http(location)}\n}\n`)
}

/** Starts nginx with a complete configuration file. Settings for its temporary folders are added. */
export function startNginxOn(file: (location: Location) => string): Promise<ProxyProgram> {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return startProgram({
    name: 'nginx',
    settings: (location) => ({
      'nginx.conf': file(location).replace(
        /^http \{$/m,
        `http {\n${folders.map((name) => `  ${name}_temp_path ${location.folder}/${name};\n`).join('')}`,
      ),
    }),
    parameters: (folder) => [
      ...['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`, '-g'],
      `daemon off; pid ${folder}/nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}`,
    ],
  })
}

/** Starts HAProxy with Debian's defaults and round-robin over `nodes`. `check` contains the options of each server. */
export function startHaproxy(nodes: readonly string[], check = ''): Promise<ProxyProgram> {
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

/** Starts HAProxy with a complete configuration file. */
export function startHaproxyOn(file: (location: Location) => string): Promise<ProxyProgram> {
  return startProgram({
    name: 'haproxy',
    settings: (location) => ({ 'haproxy.cfg': file(location) }),
    parameters: (folder) => ['-db', '-f', `${folder}/haproxy.cfg`],
  })
}

/** Starts PgBouncer in transaction mode, and stops it after the test. */
export async function startPgbouncer(options: PgbouncerOptions): Promise<ProxyProgram> {
  const pgbouncer = await runPgbouncer(options)
  onTestFinished(pgbouncer.remove)
  return pgbouncer
}

export interface PgbouncerOptions {
  readonly port: number
  /** URLs of the users who may connect. All are on one server. */
  readonly urls: readonly string[]
  /** Additional lines of the configuration file. */
  readonly settings?: string
}

/** Starts PgBouncer in transaction mode. The caller stops it. */
export function runPgbouncer(options: PgbouncerOptions): Promise<RemovableProgram> {
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

/** What Prometheus scrapes, and how often. */
export interface PrometheusOptions {
  /** Addresses of the operations listeners, such as `127.0.0.1:9090`. */
  readonly targets: readonly string[]
  readonly job: string
  /** The rules, in YAML. */
  readonly rules: string
  readonly intervalMs: number
}

/** Starts Prometheus with rules, and stops it after the test. */
export async function startPrometheus(options: PrometheusOptions): Promise<ProxyProgram> {
  const { targets, job, rules, intervalMs } = options
  const prometheus = await startProgram({
    name: 'prometheus',
    settings: () => ({
      'rules.yaml': rules,
      // JSON is YAML.
      'prometheus.yaml': JSON.stringify({
        global: { scrape_interval: `${intervalMs}ms`, evaluation_interval: `${intervalMs}ms` },
        rule_files: ['rules.yaml'],
        scrape_configs: [{ job_name: job, static_configs: [{ targets }] }],
      }),
    }),
    parameters: (folder, port) => [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
  })
  await waitUntil(() => hasScrapedAll(prometheus.url, targets.length))
  return prometheus
}

/** Whether Prometheus is ready and has scraped this number of targets. It learns its targets after five seconds. */
async function hasScrapedAll(url: string, count: number): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/targets`)
  if (!response.ok) return false
  const { data } = (await response.json()) as { data: { activeTargets: { health: string }[] } }
  return data.activeTargets.filter(({ health }) => health === 'up').length === count
}

async function startProgram(program: Program): Promise<ProxyProgram> {
  const running = await runProgram(program)
  onTestFinished(running.remove)
  return running
}

async function runProgram(program: Program): Promise<RemovableProgram> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `store-export-fleet-${program.name}-`))
  const port = program.port ?? (await nonEphemeralPort())
  const user = process.getuid?.() === 0 ? program.user : undefined
  for (const [name, text] of Object.entries(program.settings({ port, folder })))
    await writeFile(path.join(folder, name), text)
  if (user !== undefined) chownSync(folder, user, user)
  else await chmod(folder, 0o755)
  const command = pathOf(program.name)
  const identity = user === undefined ? {} : { uid: user, gid: user }
  const launch = () => {
    const child = spawn(command, program.parameters(folder, port), {
      ...identity,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
    return { child, ended: once(child, 'close'), output: () => Buffer.concat(output).toString() }
  }
  let current = launch()
  const isUp = () => {
    if (current.child.exitCode !== null) throw new Error(`${program.name} ended: ${current.output()}`)
    return accepts(port)
  }
  const end = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (current.child.exitCode === null && current.child.signalCode === null) current.child.kill(signal)
    await current.ended
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
      current = launch()
      await waitUntil(isUp)
    },
  }
}

/** Returns the path of an installed program. Throws if it is not installed. */
export function pathOf(name: string): string {
  const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']
  const found = folders.map((folder) => path.join(folder, name)).find(canRun)
  if (found === undefined)
    throw new Error(`${name} is not installed: npm run test:fleet needs the programs of docs/contribute/setup.md`)
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
