// `store-export doctor`: looks at the control database and at every store, and says what to do. Ends with 1 when something
// must be done.

import { listStores, type RegisteredStore, requireStore } from '@store-export/engine'
import type { Command } from 'commander'
import { type OpenPlace, type Surroundings, withControl } from '../context.ts'
import { examineControl } from '../doctor/examine-control.ts'
import { examineStore } from '../doctor/examine-store.ts'
import { type ControlReport, findingsOf, isHealthy, type StoreReport } from '../doctor/report.ts'
import { showChecks } from '../doctor/show.ts'
import { print, printJson, styled } from '../output.ts'
import { EXIT_FAILED } from '../problem.ts'
import { type CommonOptions, leaf } from './leaf.ts'

interface DoctorOptions extends CommonOptions {
  readonly store?: string
}

/** Stores that are looked at side by side: one that hangs must not hold up a fleet. */
const STORES_AT_ONCE = 8

/** Adds the command. */
export function addDoctorCommand(program: Command, surroundings: Surroundings): void {
  leaf(program, 'doctor', 'look at every store: connection, schema, grants, indexes, values; say what to do')
    .option('--store <id>', 'only the store with this ID or external ID')
    .action((options: DoctorOptions) => withControl(surroundings, (place) => doctor(place, options)))
}

async function doctor(place: OpenPlace, { store, json }: DoctorOptions): Promise<void> {
  const chosen = await choose(place, store)
  const control = await examineControl(place)
  const stores: StoreReport[] = []
  for (let start = 0; start < chosen.length; start += STORES_AT_ONCE) {
    const group = chosen.slice(start, start + STORES_AT_ONCE)
    stores.push(...(await Promise.all(group.map((each) => examineStore(each, place.keys)))))
  }
  if (json) printJson({ stores: stores.map(describe), control: describeControl(control) })
  else show(control, stores)
  if (![control, ...stores].every(isHealthy)) process.exitCode = EXIT_FAILED
}

async function choose({ database }: OpenPlace, id: string | undefined): Promise<RegisteredStore[]> {
  if (id === undefined) return listStores(database)
  return [await requireStore(database, id)]
}

function show(control: ControlReport, stores: readonly StoreReport[]): void {
  print(showChecks('Control database', control.checks, styled))
  for (const { id, name, revision, checks } of stores) {
    print(showChecks(`${name}  ${id}${revision === null ? '' : `  ${revision}`}`, checks, styled))
  }
  const sick = stores.filter((report) => !isHealthy(report)).length
  print(sick === 0 ? `${stores.length} stores are well.` : `${sick} of ${stores.length} stores need something.`)
}

function describe(report: StoreReport) {
  const { id, name, revision, checks } = report
  return { id, name, ok: isHealthy(report), revision, findings: findingsOf(checks) }
}

function describeControl(report: ControlReport) {
  return { ok: isHealthy(report), findings: findingsOf(report.checks) }
}
