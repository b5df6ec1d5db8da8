// Announces the running nodes in the control database, with fingerprints of their secrets and their use of database
// servers. So `secrets rotate` uses no secret that a node lacks, and `status` shows the nodes. See
// docs/contribute/decisions/040-check-nodes-before-rotating-secrets.md.

import { sql } from '@store-export/postgres'
import type { ControlEventHandler } from './control-event.ts'
import { type ControlDatabase, queryOne } from './database.ts'
import { countDecryptable, DecryptionError, type EncryptionKey, type EncryptionKeys } from './password-encryption.ts'
import { type RandomBytes, randomUuid } from './random.ts'

/** The node to announce in the control database, and the secrets that it holds. */
export interface NodeAnnouncement {
  readonly database: ControlDatabase
  readonly keys: EncryptionKeys
  /** Name of the node for people, such as the host and the process ID. */
  readonly name: string
  /** Version of the service. */
  readonly version: string
  /** Returns what the node uses of each database server. */
  readonly servers: () => readonly NodeServer[]
  readonly random: RandomBytes
  readonly emit: ControlEventHandler
}

/** What a node uses of one database server, as the table of nodes has it. */
export interface NodeServer {
  /** Hosts and ports of the server, or the path of its socket. */
  readonly server: string
  /** Maximum number of connections of the node to the server. */
  readonly limit: number
  /** Connections that count against the limit. */
  readonly open: number
  /** Connections that requests use. */
  readonly inUse: number
  /** Requests that wait for a connection. */
  readonly waiting: number
  /** Why the last attempt to connect failed; null if it succeeded. */
  readonly failure: 'unreachable' | 'timeout' | 'full' | null
}

/** Thrown if live nodes lack the secret that a change needs. */
export class NodesWithoutSecret extends Error {
  override readonly name = 'NodesWithoutSecret'

  constructor(nodes: readonly string[]) {
    const named = nodes.length > NAMES_MAX ? [...nodes.slice(0, NAMES_MAX), '…'] : nodes
    super(
      `these running nodes do not hold this STORE_EXPORT_SECRET: ${named.join(', ')}. Restart them with it, and with the ` +
        'previous secret as STORE_EXPORT_SECRET_PREVIOUS, then try again. A node that was killed counts as running for ' +
        `${LIVE_SECONDS} s`,
    )
  }
}

const INTERVAL_MS = 10_000
/** A node that missed four announcements has stopped, or can't write to the control database and so serves no data. */
const LIVE_SECONDS = 45
/** Condition on a row of `nodes`: the node runs. */
export const IS_LIVE = sql`seen_at > clock_timestamp() - make_interval(secs => ${LIVE_SECONDS})`
const NAMES_MAX = 5
/** Maximum number of servers in a node's row. An entry takes about 110 bytes, so a row stays below 6 KB. */
const SERVERS_MAX = 50

/**
 * Announces the node now and every ten seconds, until `close`. Also deletes nodes that were last announced an hour ago.
 * Rejects if the first announcement fails; later failures are emitted. `close` removes the node, and can reject.
 */
export async function announceNode(options: NodeAnnouncement): Promise<{ close(): Promise<void> }> {
  const { database, keys, name, version, emit } = options
  const id = randomUuid(options.random)
  const secrets = fingerprints(keys)
  let startedAt: Date | null = null
  const announce = async () => {
    const servers = JSON.stringify(worstOf(options.servers()))
    // Another node can have deleted the row while this node could not reach the control database.
    const row = await queryOne<{ startedAt: Date }>(
      database.pool,
      sql`
      insert into nodes (id, name, secrets, version, servers, started_at)
      values (${id}, ${name}, ${secrets}::text[], ${version}, ${servers}::jsonb,
        coalesce(${startedAt}::timestamptz, clock_timestamp()))
      on conflict (id) do update set seen_at = clock_timestamp(), servers = excluded.servers
      returning started_at as "startedAt"`,
    )
    startedAt = row.startedAt
    await database.pool.execute(sql`delete from nodes where seen_at < clock_timestamp() - interval '1 hour'`)
  }
  await announce()
  let underWay: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    underWay = announce().catch((cause: unknown) => emit({ event: 'control.query_failed', requestId: null, cause }))
  }, INTERVAL_MS).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await underWay
      await database.pool.execute(sql`delete from nodes where id = ${id}`)
    },
  }
}

/** Returns up to `SERVERS_MAX` servers: those that failed, or that have the largest share of their limit in use. */
function worstOf(servers: readonly NodeServer[]): NodeServer[] {
  const rank = ({ failure, inUse, limit }: NodeServer) => Number(failure !== null) + inUse / limit
  return servers.toSorted((a, b) => rank(b) - rank(a) || b.waiting - a.waiting).slice(0, SERVERS_MAX)
}

/** Rejects with `NodesWithoutSecret` if a live node can't decrypt with this key. */
export async function requireNodesWith({ pool }: ControlDatabase, { fingerprint }: EncryptionKey): Promise<void> {
  const lacking = await pool.query<{ name: string }>(sql`
    select name from nodes
    where ${IS_LIVE} and not ${fingerprint} = any (secrets)
    order by name`)
  if (lacking.length > 0) throw new NodesWithoutSecret(lacking.map(({ name }) => name))
}

/**
 * Checks that the service uses this secret. Rejects with `NodesWithoutSecret` if a live node lacks the secret. Rejects
 * with `DecryptionError` if no node is live and the secret can't decrypt the passwords of the stores other than
 * `except`.
 */
export async function requireServiceSecret(
  database: ControlDatabase,
  keys: EncryptionKeys,
  except: string | null = null,
): Promise<void> {
  await requireNodesWith(database, keys.current)
  const live = await database.pool.query(sql`select from nodes where ${IS_LIVE} limit 1`)
  if (live.length > 0) return
  const { error } = await countDecryptable(database, keys, except)
  if (error === null) return
  throw new DecryptionError(
    `${error.message}. If that secret is lost, start a node with the new one, and set the URL of each store again`,
  )
}

/**
 * Returns the error to report if a node with these keys can't serve; null if it can. There are two cases:
 * - Most passwords need another secret.
 * - A password needs another secret, and most live nodes hold a secret that this node lacks.
 *
 * A single password that can't be decrypted is no reason, because one bad row would then stop every node.
 */
export async function whyNotServing(database: ControlDatabase, keys: EncryptionKeys): Promise<DecryptionError | null> {
  const { decryptable, undecryptable, error } = await countDecryptable(database, keys)
  if (error === null || undecryptable > decryptable) return error
  const held = await database.pool.query(sql`
    with live as (select secrets from nodes where ${IS_LIVE})
    select secret from live, unnest(secrets) as secret
    where not secret = any (${fingerprints(keys)}::text[])
    group by secret having 2 * count(*) > (select count(*) from live)`)
  return held.length > 0 ? error : null
}

function fingerprints({ current, previous }: EncryptionKeys): string[] {
  const keys = previous === null ? [current] : [current, previous]
  return keys.map(({ fingerprint }) => fingerprint)
}
