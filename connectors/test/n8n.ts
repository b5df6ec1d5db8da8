// Loads the package of the n8n nodes into the execution engine of n8n, and runs workflows that keep a copy in sync.

import { readFile } from 'node:fs/promises'
import { LATEST_REVISION, type RevisionId } from '../../packages/contract/src/index.ts'
import { connectorTables } from '../../scripts/connectors/connector-tables.ts'
import { storeResources } from '../../scripts/connectors/n8n-resources.ts'
import { compareRows, rowsById } from './compare.ts'
import type { ConnectorResult } from './connector-result.ts'
import { RUNS, withDemoStore } from './demo-store.ts'
import { checkNodes } from './n8n-checks.ts'
import {
  action,
  checkTypes,
  filesOf,
  installEngine,
  local,
  PACKAGES,
  runSteps,
  START,
  type Step,
  trigger,
} from './n8n-engine.ts'
import { withWorkFolder } from './python-tool.ts'
import type { Rows } from './read-store.ts'

/** Tests the nodes with a store of the latest schema version, and with one that does not track updates of customers. */
export async function testN8n(): Promise<ConnectorResult[]> {
  await installEngine()
  await checkTypes()
  return Promise.all([runUnderLoad(LATEST_REVISION), runUnderLoad('launch')])
}

async function runUnderLoad(revision: RevisionId): Promise<ConnectorResult> {
  return withDemoStore(revision, async (store) => {
    if (revision === LATEST_REVISION) await checkNodes(store)
    return withWorkFolder(async (folder) => {
      const transactions = await store.syncUnderLoad(async (run) => {
        for (const result of await runSteps(store, folder, stepsOf(revision, run)))
          if (result.error !== undefined) throw new Error(`run ${run}: ${JSON.stringify(result.error)}`)
      })
      const differences = compareRows(await store.read(), await readCopy(folder))
      const version = PACKAGES.join(', ').replaceAll('@', ' ')
      return { tool: `n8n, store ${revision}`, version, transactions, differences }
    })
  })
}

/** Returns the workflows of a run: changes and deleted rows of the large lists, and the other lists as a whole. */
function stepsOf(revision: RevisionId, run: number): Step[] {
  return connectorTables().flatMap(({ table: { name }, path: listPath, kind }): Step[] => {
    const resource =
      storeResources().find((each) => each.listPath === listPath || each.onePath === listPath)?.value ?? ''
    if (kind === 'object') return [{ id: name, nodes: [START, action(resource, 'get'), local('upsert', name)] }]
    const whole = [START, action(resource, 'getAll', { returnAll: true })]
    // A `launch` store does not track updates of customers.
    const isUntracked = revision === 'launch' && name === 'customers' && run === RUNS
    if (kind === 'replace' || isUntracked) return [{ id: `${name}-all`, nodes: [...whole, local('replace', name)] }]
    const deleted = [local('read', name), action(resource, 'findDeleted', { idField: 'id' }), local('delete', name)]
    return [
      { id: name, nodes: [trigger(resource, true), local('upsert', name)] },
      { id: `${name}-deleted`, nodes: deleted },
    ]
  })
}

async function readCopy(folder: string): Promise<Rows> {
  const tables: Record<string, Record<string, Record<string, unknown>>> = JSON.parse(
    await readFile(filesOf(folder).copyFile, 'utf8'),
  )
  const copy = new Map<string, Map<string, Record<string, unknown>>>()
  for (const { table } of connectorTables()) {
    const rows = Object.values(tables[table.name] ?? {})
    copy.set(table.name, rowsById(table.name, rows))
    for (const { field } of table.children) {
      const nested = rows.flatMap((row) => row[field] as Record<string, unknown>[])
      copy.set(`${table.name}.${field}`, rowsById(field, nested))
    }
  }
  return copy
}
