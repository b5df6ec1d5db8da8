// Upgrades the databases of all stores that the service created. A failed store doesn't stop the others.

import { includesRevision, type RevisionId } from '@store-export/contract'
import type { RegisteredStore } from '@store-export/control'
import type { ControlTarget } from '../command-context.ts'
import { examineStore } from '../doctor/examine-store.ts'
import { skipFailedServers } from '../doctor/failed-servers.ts'
import { findingsOf, type StoreReport } from '../doctor/report.ts'
import { explainError } from '../explain-error.ts'
import { processAll } from '../process-all.ts'
import { redactAndCut } from '../redact.ts'
import type { UpgradeResult } from '../store-schema/provision-store.ts'
import { isOnServerOf, upgrade } from './upgrade.ts'

/** Number of stores that are upgraded at the same time. Each needs two connections to the server. */
const STORES_AT_ONCE = 4
/** Names of the databases and the readers' roles of `stores provision`. A URL can have only one of both. */
const PROVISIONED = /\bstore_export_(?:store|reader)_[0-9a-f]{12}\b/
const MESSAGE_LENGTH_MAX = 400

/** What happened to a store. */
export type UpgradeOutcome =
  | ({ readonly kind: 'done'; readonly id: string } & UpgradeResult)
  /** The database is on another server and not at the schema version, so the upgrade needs the owner's URL. */
  | { readonly kind: 'needs-owner'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly code: string; readonly message: string }
  /** The signal was aborted before the upgrade began. */
  | { readonly kind: 'stopped'; readonly id: string }

/** The schema version to reach, and how to follow and stop the upgrades. */
export interface UpgradeAllOptions {
  readonly to: RevisionId
  /** Gets each outcome, in any order. */
  readonly onDone: (outcome: UpgradeOutcome) => void
  /** Once aborted, no further upgrade begins. */
  readonly signal: AbortSignal
  /** Once aborted, the running upgrades are rolled back. */
  readonly interrupted: AbortSignal
}

/** Returns the stores whose databases the service created. */
export function provisionedStores(stores: readonly RegisteredStore[]): RegisteredStore[] {
  return stores.filter(({ databaseUrl }) => databaseUrl !== null && PROVISIONED.test(databaseUrl))
}

/** Upgrades stores to a newer schema version, and returns the outcomes in their order. */
export function upgradeAll(
  target: ControlTarget,
  stores: readonly RegisteredStore[],
  { to, onDone, signal, interrupted }: UpgradeAllOptions,
): Promise<UpgradeOutcome[]> {
  const { keys, config } = target
  const examine = skipFailedServers((store) => examineStore(store, { keys, config, scansValues: false }))
  const work = async (store: RegisteredStore): Promise<UpgradeOutcome> =>
    signal.aborted ? { kind: 'stopped', id: store.id } : upgradeOne(target, store, { to, examine, interrupted })
  return processAll(stores, work, { atOnce: STORES_AT_ONCE, onDone })
}

type Examine = (store: RegisteredStore) => Promise<StoreReport>

async function upgradeOne(
  target: ControlTarget,
  store: RegisteredStore,
  { to, examine, interrupted }: Pick<UpgradeAllOptions, 'to' | 'interrupted'> & { readonly examine: Examine },
): Promise<UpgradeOutcome> {
  const { id, databaseUrl } = store
  try {
    if (databaseUrl !== null && !isOnServerOf(target.controlUrl, databaseUrl))
      return withoutOwner(await examine(store), to)
    return { kind: 'done', id, ...(await upgrade(target, store, { to, databaseUrl: null, signal: interrupted })) }
  } catch (error) {
    if (interrupted.aborted)
      return { kind: 'failed', id, code: 'interrupted', message: 'interrupted by a signal; run the command again' }
    const { code, message } = explainError(error) ?? { code: 'internal_error', message: textOf(error) }
    return { kind: 'failed', id, code, message }
  }
}

/**
 * Returns the outcome for a store on another server. An upgrade with the owner's URL can have been made before. If the
 * store could not be read, the owner's URL may not help, so its outcome has the error.
 */
function withoutOwner({ id, revision, checks }: StoreReport, to: RevisionId): UpgradeOutcome {
  if (revision !== null && includesRevision(revision, to))
    return { kind: 'done', id, applied: [], repaired: [], adminSql: null }
  const [error] = checks.some(({ summary }) => summary !== null) ? [] : findingsOf(checks)
  if (error === undefined) return { kind: 'needs-owner', id }
  return { kind: 'failed', id, code: error.code, message: `${error.message}; "store-export doctor" shows a fix` }
}

function textOf(error: unknown): string {
  return redactAndCut(error instanceof Error ? error.message : String(error), MESSAGE_LENGTH_MAX)
}
