// Distributes a control database over the workers of a Citus cluster that runs already.

import { randomBytes } from 'node:crypto'
import { distribute, migrate } from '@store-export/control'
import type { Sql } from 'postgres'
import { openClient, withConnection } from './client.ts'

/**
 * Creates a database on the coordinator and on each worker, and distributes a control database in it. `coordinator` and
 * `workers` are superusers' URLs. Returns the URL of the control database.
 */
export async function createDistributedDatabase(
  name: string,
  coordinator: string,
  workers: readonly string[],
): Promise<string> {
  const urlOn = (server: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href
  for (const server of [coordinator, ...workers]) {
    await execute(server, `create database ${name} template template0`)
    await execute(urlOn(server), 'create extension citus')
  }
  const url = urlOn(coordinator)
  const node = (server: string) => `'${new URL(server).hostname}', ${new URL(server).port || 5432}`
  await execute(url, `select citus_set_coordinator_host(${node(coordinator)})`)
  for (const worker of workers) await execute(url, `select citus_add_node(${node(worker)})`)
  await migrate({ url, random: randomBytes })
  await distribute(url)
  return url
}

/** Makes the control database at `controlUrl` unreachable on a worker, or reachable again. */
export async function allowConnections(worker: string, controlUrl: string, isAllowed: boolean): Promise<void> {
  const name = new URL(controlUrl).pathname.slice(1)
  await execute(worker, `alter database ${name} allow_connections ${isAllowed}`)
  await execute(worker, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
}

/**
 * Locks the shards of a distributed table on a worker, or only `shardId`, so that statements that write to them hang.
 * Returns a function that ends this.
 */
export async function hangWorker(
  { sql, url }: { readonly sql: Sql; readonly url: string },
  worker: string,
  table: string,
  shardId: string | null = null,
): Promise<() => Promise<void>> {
  const shards = await sql<{ name: string }[]>`
    select shard_name(logicalrelid, shardid) as name from pg_dist_shard_placement join pg_dist_shard using (shardid)
    where logicalrelid = ${table}::regclass and nodeport = ${new URL(worker).port}
      and shardid = coalesce(${shardId}::bigint, shardid)`
  const client = openClient(Object.assign(new URL(worker), { pathname: new URL(url).pathname }).href, 1)
  await client.unsafe('set citus.enable_manual_changes_to_shards to on')
  await client.unsafe(`begin; ${shards.map(({ name }) => `lock table ${name} in share mode`).join('; ')}`)
  return () => client.end({ timeout: 1 })
}

function execute(url: string, statement: string): Promise<void> {
  return withConnection(url, (connection) => connection.script(statement))
}
