// Implements `stores upgrade --all`. The exit code is 1 unless all selected stores are at the schema version.

import { listStores } from '@store-export/control'
import type { CommandContext } from '../command-context.ts'
import { provisionedStores, type UpgradeOutcome, upgradeAll } from '../operations/upgrade-all.ts'
import { countOf, print, printable, printJson, printMessage, showProgress } from '../output.ts'
import { EXIT_FAILED } from '../user-error.ts'
import type { UpgradeOptions } from './stores-databases.ts'

type Outcome<K extends UpgradeOutcome['kind']> = Extract<UpgradeOutcome, { readonly kind: K }>

/** Outcomes by kind, and the number of stores that were skipped. */
interface Report {
  readonly done: readonly Outcome<'done'>[]
  readonly needsOwner: readonly Outcome<'needs-owner'>[]
  readonly failed: readonly Outcome<'failed'>[]
  /** Number of upgrades that did not begin. */
  readonly stopped: number
  readonly skipped: number
}

/**
 * After Ctrl-C in a terminal, npm passes the same signal on. A signal within this time counts as the same one, and a
 * later one interrupts the running upgrades.
 */
const SAME_SIGNAL_MS = 1000
/** Maximum time in which interrupted upgrades are rolled back and drop their logins. Then the process exits. */
const INTERRUPT_MS_MAX = 5000

/**
 * Upgrades all stores whose databases the service created, and prints the failed ones by cause. After SIGINT or
 * SIGTERM, completes the running upgrades, and begins no further ones.
 */
export async function upgradeEvery(context: CommandContext, { to, json }: UpgradeOptions): Promise<void> {
  const all = await listStores(context.database)
  const stores = provisionedStores(all)
  const options = { to, onDone: progressOf(stores.length), ...handleSignals() }
  const outcomes = await upgradeAll(context, stores, options)
  const only = <K extends UpgradeOutcome['kind']>(kind: K) =>
    outcomes.filter((outcome): outcome is Outcome<K> => outcome.kind === kind)
  const [done, needsOwner, failed] = [only('done'), only('needs-owner'), only('failed')]
  const stopped = only('stopped').length
  const report = { done, needsOwner, failed, stopped, skipped: all.length - stores.length }
  if (json) printJson({ revision: to, ...describe(report) })
  else show(to, report)
  if (done.length < stores.length) process.exitCode = EXIT_FAILED
}

function handleSignals(): { readonly signal: AbortSignal; readonly interrupted: AbortSignal } {
  const [stopping, interrupting] = [new AbortController(), new AbortController()]
  let stoppingSince = Number.POSITIVE_INFINITY
  const onSignal = () => {
    if (!stopping.signal.aborted) {
      stoppingSince = performance.now()
      stopping.abort()
      printMessage('Waiting for the running upgrades. To roll them back and stop at once, press Ctrl-C again.')
    } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
      setTimeout(() => process.exit(EXIT_FAILED), INTERRUPT_MS_MAX).unref()
      interrupting.abort()
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal)
  return { signal: stopping.signal, interrupted: interrupting.signal }
}

function progressOf(total: number): (outcome: UpgradeOutcome) => void {
  let [done, failed] = [0, 0]
  return ({ kind }) => {
    done += 1
    if (kind !== 'done') failed += 1
    showProgress(done === total ? null : `processed ${done} of ${countOf(total, 'store')}; not upgraded: ${failed}`)
  }
}

function describe({ done, needsOwner, failed, stopped, skipped }: Report) {
  return {
    upgraded: done.map(({ id, applied, repaired, adminSql }) => ({ id, applied, repaired, admin_sql: adminSql })),
    needs_owner_url: needsOwner.map(({ id }) => id),
    failed: failed.map(({ id, code, message }) => ({ id, code, message })),
    stopped,
    skipped,
  }
}

/** Prints a message for each cause with the IDs of its stores, then the summary. */
function show(to: string, { done, needsOwner, failed, stopped, skipped }: Report): void {
  for (const [cause, outcomes] of Map.groupBy(failed, causeOf)) showStores(`Failed; ${cause}:`, outcomes)
  showStores(
    'On another server than the control database. Upgrade each with its ID and --database-url, the URL of its owner:',
    needsOwner,
  )
  const adminSql = done.flatMap((outcome) => outcome.adminSql ?? [])
  if (adminSql.length > 0)
    printMessage(`Readers' roles have no connection limit. Run this as an administrator of the server:`)
  for (const sql of adminSql) printMessage(sql)
  const changed = done.filter(({ applied }) => applied.length > 0).length
  const repaired = done.filter((outcome) => outcome.repaired.length > 0).length
  if (repaired > 0)
    printMessage(`Added what an older version of "stores provision" left out in ${countOf(repaired, 'store')}.`)
  if (skipped > 0)
    printMessage(
      `Skipped ${countOf(skipped, 'store')} without a database that "stores provision" created. If such a store has the ` +
        `schema of "stores provision", upgrade it with its ID and --database-url, the URL of its owner.`,
    )
  const parts = [
    `already at ${to}: ${(done.length - changed).toLocaleString('en')}`,
    `failed: ${failed.length.toLocaleString('en')}`,
    ...(needsOwner.length > 0 ? [`on another server: ${needsOwner.length.toLocaleString('en')}`] : []),
    ...(stopped > 0 ? [`not begun: ${stopped.toLocaleString('en')}`] : []),
  ]
  printMessage(`Upgraded ${countOf(changed, 'store')} to ${to}; ${parts.join(', ')}.`)
}

function showStores(heading: string, outcomes: readonly { readonly id: string }[]): void {
  if (outcomes.length === 0) return
  printMessage(heading)
  for (const { id } of outcomes) print(id)
}

/**
 * Returns the message without the end of the store's ID, which is in the names of its database and roles. So stores
 * with the same cause share a heading.
 */
function causeOf({ id, message }: Outcome<'failed'>): string {
  return printable(message.replaceAll(id.slice(-12), '…'))
}
