// Loads the package of the n8n nodes into the execution engine of n8n, and runs workflows that keep a copy in sync.

import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { LATEST_REVISION, type RevisionId } from '../../packages/contract/src/index.ts'
import { connectorTables } from '../../scripts/connectors/connector-tables.ts'
import { storeResources } from '../../scripts/connectors/n8n-resources.ts'
import { compareRows } from './compare.ts'
import type { ConnectorResult } from './connector-result.ts'
import { type DemoStore, RUNS, withDemoStore } from './demo-store.ts'
import { NotInstalledError, runProgram, withWorkFolder } from './python-tool.ts'
import type { Rows } from './read-store.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const FOLDER = path.join(import.meta.dirname, '..', 'n8n')
const TOOL = path.join(ROOT, 'node_modules', '.cache', 'connectors', 'n8n')
const WORKFLOW = path.join(import.meta.dirname, 'n8n-workflow.cjs')
/** The execution engine of the n8n server. */
const PACKAGES = ['n8n-core@2.41.1', 'n8n-workflow@2.41.0']
const NODE = 'n8n-nodes-store-export.storeExport'
const TRIGGER = 'n8n-nodes-store-export.storeExportTrigger'

/** Tests the nodes with a store of the latest schema version, and with one that does not track updates of customers. */
export async function testN8n(): Promise<ConnectorResult[]> {
  await install()
  await checkTypes()
  return Promise.all([runUnderLoad(LATEST_REVISION), runUnderLoad('launch')])
}

/** Installs the engine without its native modules, which only other nodes need, and the packed nodes as npm has them. */
async function install(): Promise<void> {
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
  const marker = path.join(TOOL, 'packages.txt')
  try {
    if (!existsSync(marker) || (await readFile(marker, 'utf8')) !== PACKAGES.join('\n')) {
      await rm(TOOL, { recursive: true, force: true })
      await mkdir(TOOL, { recursive: true })
      await writeFile(path.join(TOOL, 'package.json'), '{"private": true}')
      await runProgram('npm', [...npm, '--save-exact', ...PACKAGES], { cwd: TOOL })
      await writeFile(marker, PACKAGES.join('\n'))
    }
  } catch (cause) {
    throw new NotInstalledError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
  const packed = path.join(TOOL, 'packed')
  await rm(packed, { recursive: true, force: true })
  await runProgram(process.execPath, [path.join(ROOT, 'scripts', 'build-n8n-node.ts'), packed])
  const [file = ''] = await readdir(packed)
  await runProgram('npm', [...npm, '--no-save', '--legacy-peer-deps', path.join(packed, file)], { cwd: TOOL })
}

/** Compiles a copy of the source, next to the types of n8n. */
async function checkTypes(): Promise<void> {
  const source = path.join(TOOL, 'source')
  await rm(source, { recursive: true, force: true })
  await mkdir(source)
  for (const name of ['credentials', 'generated', 'nodes', 'tsconfig.json'])
    await cp(path.join(FOLDER, name), path.join(source, name), { recursive: true })
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  await runProgram(process.execPath, [tsc, '-p', source, '--noEmit'])
}

interface Step {
  readonly id: string
  readonly nodes: readonly { readonly type: string; readonly parameters: Readonly<Record<string, unknown>> }[]
}

/** The first items of each node by position, or the error of the workflow. */
type StepResult = Readonly<Record<string, Readonly<Record<string, unknown>>[]>> & { readonly error?: unknown }

/** Runs the steps of a workflow in a new process, so that only stored positions continue. */
async function runSteps(
  { url, key }: Pick<DemoStore, 'url' | 'key'>,
  folder: string,
  steps: readonly Step[],
): Promise<StepResult[]> {
  const files = { copyFile: path.join(folder, 'copy.json'), stateFile: path.join(folder, 'state.json') }
  const resultFile = path.join(folder, 'result.json')
  const env = { N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent' }
  const input = JSON.stringify({ url, key, ...files, resultFile, steps })
  await runProgram(process.execPath, [WORKFLOW], { cwd: TOOL, input, env })
  return JSON.parse(await readFile(resultFile, 'utf8'))
}

function action(
  resource: string,
  operation: string,
  more: Readonly<Record<string, unknown>> = {},
): Step['nodes'][number] {
  return { type: NODE, parameters: { resource, operation, ...more } }
}

const START: Step['nodes'][number] = { type: 'test.start', parameters: {} }

/** Checks the operations and the errors that the runs under load do not have. */
async function checkOperations(store: DemoStore): Promise<void> {
  await withWorkFolder(async (folder) => {
    const many = action('order', 'getAll', { returnAll: false, limit: 3, filters: { created_until: 'now' } })
    const [listed] = await runSteps(store, folder, [{ id: 'list', nodes: [START, many] }])
    const rows = listed?.['1'] ?? []
    if (rows.length !== 3) throw new Error(`Get Many: expected 3 orders; got ${JSON.stringify(listed).slice(0, 500)}`)
    const one = action('order', 'get', { id: rows[0]?.id })
    const [got] = await runSteps(store, folder, [{ id: 'get', nodes: [START, one] }])
    if (got?.['1']?.[0]?.id !== rows[0]?.id) throw new Error(`Get: ${JSON.stringify(got).slice(0, 500)}`)
    const wrong = { url: store.url, key: 'sdx_wrong' }
    const [failed] = await runSteps(wrong, folder, [{ id: 'wrong', nodes: [START, one] }])
    if (!/NodeApiError.*INVALID_API_KEY|INVALID_API_KEY.*NodeApiError/.test(JSON.stringify(failed)))
      throw new Error(`a wrong key: ${JSON.stringify(failed).slice(0, 500)}`)
  })
}

async function runUnderLoad(revision: RevisionId): Promise<ConnectorResult> {
  return withDemoStore(revision, async (store) => {
    await checkOperations(store)
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
    const write = (type: string) => ({ type, parameters: { table: name } })
    if (kind === 'object') return [{ id: name, nodes: [START, action(resource, 'get'), write('test.upsert')] }]
    const whole = [START, action(resource, 'getAll', { returnAll: true })]
    // A `launch` store does not track updates of customers.
    const isUntracked = revision === 'launch' && name === 'customers' && run === RUNS
    if (kind === 'replace' || isUntracked) return [{ id: `${name}-all`, nodes: [...whole, write('test.replace')] }]
    const trigger = { type: TRIGGER, parameters: { resource, includeExisting: true } }
    const deleted = [write('test.read'), action(resource, 'findDeleted', { idField: 'id' }), write('test.delete')]
    return [
      { id: name, nodes: [trigger, write('test.upsert')] },
      { id: `${name}-deleted`, nodes: deleted },
    ]
  })
}

async function readCopy(folder: string): Promise<Rows> {
  const tables: Record<string, Record<string, Record<string, unknown>>> = JSON.parse(
    await readFile(path.join(folder, 'copy.json'), 'utf8'),
  )
  const copy = new Map<string, Map<string, Record<string, unknown>>>()
  for (const { table } of connectorTables()) {
    const rows = Object.values(tables[table.name] ?? {})
    copy.set(table.name, new Map(rows.map((row) => [String(row.id), row])))
    for (const { field } of table.children) {
      const nested = rows.flatMap((row) => row[field] as Record<string, unknown>[])
      copy.set(`${table.name}.${field}`, new Map(nested.map((row) => [String(row.id), row])))
    }
  }
  return copy
}
