// Starts the installed etcd, and a PostgreSQL server with a standby that the installed Patroni controls. The
// configuration is deploy/patroni.yaml.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { waitUntil } from '../../packages/operator/test/support/embedded-server.ts'
import { nonEphemeralPort } from '../../packages/operator/test/support/fleet.ts'
import { pathOf, UNPRIVILEGED } from './programs.ts'

const RECIPE = path.join(import.meta.dirname, '..', '..', 'deploy', 'patroni.yaml')
const NAMES = ['one', 'two'] as const
const PASSWORD = 'superuser-password'

/** A primary and a standby. Both are stopped and removed after the test. */
export interface PatroniCluster {
  /** Host and port of each server. */
  readonly hosts: readonly string[]
  /** URL of the superuser, with both servers. It leads to the primary. */
  readonly url: string
  /** Makes the standby the primary, as for maintenance. */
  switchover(): Promise<void>
  /** Kills the primary's PostgreSQL, as a crash does. */
  crashPrimary(): Promise<void>
  /** Kills all processes of the primary's machine. */
  loseMachineOfPrimary(): Promise<void>
}

interface Member {
  readonly name: string
  readonly host: string
  readonly apiUrl: string
  readonly data: string
  patroni: ChildProcess
}

/** Starts the servers, and stops them after the test. */
export async function startPatroni(): Promise<PatroniCluster> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-fleet-patroni-'))
  if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED, UNPRIVILEGED)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const recipe = path.join(folder, 'patroni.yaml')
  // The default folder of sockets belongs to another user.
  const parameters = "  parameters:\n    unix_socket_directories: ''\n"
  await writeFile(recipe, readFileSync(RECIPE, 'utf8').replaceAll('10.0.0.0/8', '127.0.0.1/32') + parameters)
  const etcd = await startEtcd(folder)
  const members: Member[] = []
  for (const name of NAMES) {
    members.push(await startMember(name, { folder, recipe, etcd }))
    await waitUntil(() => isHealthy(members))
  }
  // With the standby in sync, a failover loses no commit.
  await waitUntil(async () => (await rolesOf(members)).includes('sync_standby'))
  const hosts = members.map(({ host }) => host)
  return {
    hosts,
    url: `postgres://postgres:${PASSWORD}@${hosts.join(',')}/postgres?target_session_attrs=primary`,
    async switchover() {
      const { primary, standby } = await pairOf(members)
      const body = JSON.stringify({ leader: primary.name, candidate: standby.name })
      const response = await fetch(`${primary.apiUrl}/switchover`, { method: 'POST', body })
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    },
    async crashPrimary() {
      process.kill(postmasterOf((await pairOf(members)).primary), 'SIGKILL')
    },
    async loseMachineOfPrimary() {
      const { primary } = await pairOf(members)
      const postmaster = postmasterOf(primary)
      primary.patroni.kill('SIGKILL')
      process.kill(postmaster, 'SIGKILL')
    },
  }
}

async function startEtcd(folder: string): Promise<string> {
  const [client, peer] = [await nonEphemeralPort(), await nonEphemeralPort()].map((port) => `http://127.0.0.1:${port}`)
  const urls = { client: client ?? '', peer: peer ?? '' }
  const etcd = launch('etcd', folder, [
    ...['--data-dir', path.join(folder, 'etcd'), '--listen-client-urls', urls.client],
    ...['--advertise-client-urls', urls.client, '--listen-peer-urls', urls.peer],
    ...['--initial-advertise-peer-urls', urls.peer, '--initial-cluster', `default=${urls.peer}`],
  ])
  onTestFinished(() => end(etcd, 'SIGKILL'))
  await waitUntil(() => fetch(`${urls.client}/health`).then(({ ok }) => ok, isDown))
  return urls.client
}

async function startMember(
  name: string,
  { folder, recipe, etcd }: { readonly folder: string; readonly recipe: string; readonly etcd: string },
): Promise<Member> {
  const [host, api] = [await nonEphemeralPort(), await nonEphemeralPort()].map((port) => `127.0.0.1:${port}`)
  const data = path.join(folder, name)
  await mkdir(data, { mode: 0o700 })
  if (process.getuid?.() === 0) await chown(data, UNPRIVILEGED, UNPRIVILEGED)
  const [binaries = ''] = globSync('/usr/lib/postgresql/*/bin').toSorted().reverse()
  const patroni = launch('patroni', folder, [recipe], {
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: new URL(etcd).host,
    PATRONI_RESTAPI_LISTEN: api ?? '',
    PATRONI_RESTAPI_CONNECT_ADDRESS: api ?? '',
    PATRONI_POSTGRESQL_LISTEN: host ?? '',
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: host ?? '',
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_PGPASS: path.join(folder, `${name}.pgpass`),
    PATRONI_POSTGRESQL_BIN_DIR: binaries,
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: 'replicator-password',
  })
  // On SIGTERM, Patroni stops its PostgreSQL.
  onTestFinished(() => end(patroni, 'SIGTERM'))
  return { name, host: host ?? '', apiUrl: `http://${api}`, data, patroni }
}

/** Starts a program as a user without privileges. If it fails, the test prints its output. */
function launch(
  program: string,
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder, ...environment }
  const child = spawn(pathOf(program), parameters, { ...user, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  child.on('exit', (code) => code && process.stderr.write(`${program} ended with ${code}: ${Buffer.concat(output)}\n`))
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

interface ClusterState {
  readonly members: readonly { readonly name: string; readonly role: string; readonly state: string }[]
}

/** The result of a request to a program that doesn't listen yet. */
const isDown = () => false

async function stateOf([first]: readonly Member[]): Promise<ClusterState> {
  const response = await fetch(`${first?.apiUrl}/cluster`)
  return (await response.json()) as ClusterState
}

function isHealthy(members: readonly Member[]): Promise<boolean> {
  const running = async () => (await stateOf(members)).members.filter(({ state }) => RUNNING.includes(state))
  return running().then(({ length }) => length === members.length, isDown)
}

/** States of a member that serves queries. Patroni before version 3.1 calls a standby `running`, too. */
const RUNNING: readonly string[] = ['running', 'streaming']

async function rolesOf(members: readonly Member[]): Promise<string[]> {
  return (await stateOf(members)).members.map(({ role }) => role)
}

async function pairOf(members: readonly Member[]): Promise<{ readonly primary: Member; readonly standby: Member }> {
  const state = await stateOf(members)
  const leader = state.members.find(({ role }) => role === 'leader')?.name
  const primary = members.find(({ name }) => name === leader)
  const standby = members.find(({ name }) => name !== leader)
  if (primary === undefined || standby === undefined) throw new Error(`no primary: ${JSON.stringify(state)}`)
  return { primary, standby }
}

/** Returns the ID of the main process of a member's PostgreSQL. */
function postmasterOf({ data }: Member): number {
  return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
}
