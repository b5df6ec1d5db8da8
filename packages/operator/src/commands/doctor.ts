// Implements `store-export doctor`, which checks the control database and the stores, and prints a fix for each
// finding. The exit code is 1 if there is an error or a warning.

import { listStores, type RegisteredStore, requireStore } from '@store-export/control'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { examineControl } from '../doctor/examine-control.ts'
import { examineStore } from '../doctor/examine-store.ts'
import { skipFailedServers } from '../doctor/failed-servers.ts'
import { formatChecks, formatStores } from '../doctor/format-report.ts'
import { type ControlReport, findingsOf, isHealthy, type StoreReport } from '../doctor/report.ts'
import { countOf, print, printJson, printMessage, showProgress, styled } from '../output.ts'
import { processAll } from '../process-all.ts'
import { EXIT_FAILED, UsageError } from '../user-error.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

interface DoctorOptions extends CommonOptions {
  readonly store?: string
  readonly values?: true
}

/**
 * Maximum number of stores that `doctor` examines at the same time. With more than one, a hanging store doesn't delay
 * the others. The number is low, because stores can share a role or a server.
 */
const STORES_AT_ONCE = 8

export function addDoctorCommand(program: Command, processContext: ProcessContext): void {
  addCommand(
    program,
    'doctor',
    'check the connection, schema, types, privileges, indexes, and transactions of every store, and print fixes',
  )
    .option('--store <id>', 'check only the store with this ID or external ID')
    .option(
      '--values',
      "scan the first 100,000 rows of each table for values that the API doesn't allow. Requires --store.",
    )
    .action((options: DoctorOptions) => {
      if (options.values === true && options.store === undefined) {
        throw new UsageError('--values scans the tables of one store; add --store <id>')
      }
      return withControl(processContext, (context) => doctor(context, options))
    })
}

async function doctor(context: CommandContext, { store, values, json }: DoctorOptions): Promise<void> {
  const selected = await selectStores(context, store)
  const control = await examineControl(context)
  const { keys, config } = context
  const examine = skipFailedServers((each) => examineStore(each, { keys, config, scansValues: values === true }))
  const stores = await processAll(selected, examine, { atOnce: STORES_AT_ONCE, onDone: progressOf(selected.length) })
  if (json) printJson({ stores: stores.map(describe), control: describeControl(control) })
  else show(control, stores)
  if (![control, ...stores].every(isHealthy)) process.exitCode = EXIT_FAILED
}

async function selectStores({ database }: CommandContext, id: string | undefined): Promise<RegisteredStore[]> {
  if (id === undefined) return listStores(database)
  return [await requireStore(database, id)]
}

function progressOf(total: number): (report: StoreReport) => void {
  let [done, unhealthy] = [0, 0]
  return (report) => {
    done += 1
    if (!isHealthy(report)) unhealthy += 1
    showProgress(done === total ? null : `examined ${done} of ${countOf(total, 'store')}; to fix: ${unhealthy}`)
  }
}

function show(control: ControlReport, stores: readonly StoreReport[]): void {
  print(formatChecks('Control database', control.checks, styled))
  if (stores.length > 0) print(formatStores(stores, styled))
  const unhealthy = stores.filter((report) => !isHealthy(report)).length
  const total = countOf(stores.length, 'store')
  if (unhealthy > 0) print(`${unhealthy.toLocaleString('en')} of ${total} ${unhealthy === 1 ? 'needs' : 'need'} a fix.`)
  else print(`${total} ${stores.length === 1 ? 'is' : 'are'} healthy.`)
  if (stores.length > 1)
    printMessage('"store-export doctor --store <id>" shows all checks of a store; --values also scans its values.')
}

function describe(report: StoreReport) {
  const { id, name, revision, checks } = report
  return { id, name, ok: isHealthy(report), revision, findings: findingsOf(checks) }
}

function describeControl(report: ControlReport) {
  return { ok: isHealthy(report), findings: findingsOf(report.checks) }
}
