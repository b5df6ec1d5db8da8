// `store-export doctor`: examines the control database and every store, and says what to do. Exits with 1 if you have to
// fix something.

import { listStores, type RegisteredStore, requireStore } from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { examineAll } from '../doctor/examine-all.ts'
import { examineControl } from '../doctor/examine-control.ts'
import { examineStore } from '../doctor/examine-store.ts'
import { formatChecks, formatStores } from '../doctor/format-report.ts'
import { type ControlReport, findingsOf, isHealthy, type StoreReport } from '../doctor/report.ts'
import { print, printJson, printMessage, showProgress, styled } from '../output.ts'
import { EXIT_FAILED, UsageError } from '../user-error.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

interface DoctorOptions extends CommonOptions {
  readonly store?: string
  readonly values?: true
}

/** Stores that `doctor` examines at once. More than one, so that a hanging store does not delay the fleet; few, because stores
 * can share a role or a server. */
const STORES_AT_ONCE = 8

/** Adds the command. */
export function addDoctorCommand(program: Command, processContext: ProcessContext): void {
  addCommand(
    program,
    'doctor',
    'examine every store: connection, schema, grants, indexes, transactions; say what to do',
  )
    .option('--store <id>', 'examine only the store with this ID or external ID')
    .option(
      '--values',
      'with --store: also scan the first 100,000 rows of each table for values that break the contract',
    )
    .action((options: DoctorOptions) => {
      if (options.values === true && options.store === undefined) {
        throw new UsageError('--values: scans the tables of one store; name it with --store')
      }
      return withControl(processContext, (context) => doctor(context, options))
    })
}

async function doctor(context: CommandContext, { store, values, json }: DoctorOptions): Promise<void> {
  const chosen = await choose(context, store)
  const control = await examineControl(context)
  const { keys, config } = context
  const examine = (each: RegisteredStore) => examineStore(each, { keys, config, scansValues: values === true })
  const stores = await examineAll(chosen, examine, { atOnce: STORES_AT_ONCE, onDone: progressOf(chosen.length) })
  if (json) printJson({ stores: stores.map(describe), control: describeControl(control) })
  else show(control, stores)
  if (![control, ...stores].every(isHealthy)) process.exitCode = EXIT_FAILED
}

async function choose({ database }: CommandContext, id: string | undefined): Promise<RegisteredStore[]> {
  if (id === undefined) return listStores(database)
  return [await requireStore(database, id)]
}

function progressOf(all: number): (report: StoreReport) => void {
  let [done, sick] = [0, 0]
  return (report) => {
    done += 1
    if (!isHealthy(report)) sick += 1
    showProgress(done === all ? null : `examined ${done} of ${all} stores, ${sick} need something`)
  }
}

function show(control: ControlReport, stores: readonly StoreReport[]): void {
  print(formatChecks('Control database', control.checks, styled))
  if (stores.length > 0) print(formatStores(stores, styled))
  const sick = stores.filter((report) => !isHealthy(report)).length
  print(sick === 0 ? `${stores.length} stores are well.` : `${sick} of ${stores.length} stores need something.`)
  if (stores.length > 1)
    printMessage('"store-export doctor --store <id>" shows all checks of a store; --values scans its values, too.')
}

function describe(report: StoreReport) {
  const { id, name, revision, checks } = report
  return { id, name, ok: isHealthy(report), revision, findings: findingsOf(checks) }
}

function describeControl(report: ControlReport) {
  return { ok: isHealthy(report), findings: findingsOf(report.checks) }
}
