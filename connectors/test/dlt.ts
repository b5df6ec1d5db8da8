// Loads a store with dlt into DuckDB and into PostgreSQL, repeatedly.

import path from 'node:path'
import { LATEST_REVISION, type RevisionId } from '../../packages/contract/src/index.ts'
import { TABLES } from '../../packages/sync/src/tables.ts'
import { compareRows, rowsById } from './compare.ts'
import type { ConnectorResult } from './connector-result.ts'
import { type DemoStore, withDemoStore } from './demo-store.ts'
import { checkIgnored } from './older-service.ts'
import { dumpTables, installTool, type PythonTool, runProgram, withWorkFolder } from './python-tool.ts'
import type { Rows } from './read-store.ts'
import { runReadme } from './readme.ts'
import { withRetryProxy } from './retry-proxy.ts'

const PACKAGES = ['dlt[duckdb,postgres]==1.31.0', 'duckdb==1.5.6', 'psycopg2-binary==2.9.13']
const FOLDER = path.join(import.meta.dirname, '..', 'dlt')

/** Tests the dlt source with two destinations, and with a store that does not track the updates of its customers. */
export async function testDlt(): Promise<ConnectorResult[]> {
  const tool = await installTool('dlt', PACKAGES, [FOLDER])
  const load = (revision: RevisionId, kind: Destination) =>
    withDemoStore(revision, (store) =>
      withRetryProxy(store.url, (url) =>
        withWorkFolder((cwd) => loadStore({ ...store, url }, { tool, kind, cwd, revision })),
      ),
    )
  await withDemoStore(LATEST_REVISION, async (store) => {
    const output = await runReadme(FOLDER, store, PACKAGES)
    if (!/^orders +([1-9]\d*) +\1$/m.test(output)) throw new Error(`first_rows.py printed:\n${output}`)
    await withWorkFolder((cwd) =>
      checkIgnored(store.url, 'updated_until', (url) => runLoad({ ...store, url }, { tool, kind: 'duckdb', cwd })),
    )
  })
  return [
    await load(LATEST_REVISION, 'duckdb'),
    await load(LATEST_REVISION, 'postgres'),
    await load('launch', 'duckdb'),
  ]
}

type Destination = 'duckdb' | 'postgres'

interface RunOptions {
  readonly tool: PythonTool
  readonly kind: Destination
  readonly cwd: string
}

interface LoadOptions extends RunOptions {
  readonly revision: RevisionId
}

async function runLoad(store: DemoStore, { tool, kind, cwd }: RunOptions): Promise<void> {
  const env = {
    SOURCES__STORE_EXPORT__URL: store.url,
    SOURCES__STORE_EXPORT__KEY: store.key,
    DESTINATION__POSTGRES__CREDENTIALS: store.server.url('postgres'),
    DLT_DATA_DIR: path.join(cwd, '.dlt'),
    RUNTIME__DLTHUB_TELEMETRY: 'false',
    DESTINATION: kind,
  }
  await runProgram(tool.program('python'), [path.join(import.meta.dirname, 'load.py')], { cwd, env })
}

async function loadStore(store: DemoStore, options: LoadOptions): Promise<ConnectorResult> {
  const { tool, kind, cwd, revision } = options
  const transactions = await store.syncUnderLoad(() => runLoad(store, options))
  const database = kind === 'duckdb' ? path.join(cwd, 'shop.duckdb') : store.server.url('postgres')
  const from = { kind, database }
  const rows = await readLoaded(tool, { ...from, schema: 'store_export' })
  const differences = compareRows(await store.read(), rows)
  const name = `dlt into ${kind === 'duckdb' ? 'DuckDB' : 'PostgreSQL'}, store ${revision}`
  return { tool: name, version: tool.version, transactions, differences }
}

async function readLoaded(tool: PythonTool, from: Parameters<typeof dumpTables>[1]): Promise<Rows> {
  const names = TABLES.flatMap(({ name, children }) => [name, ...children.map(({ field }) => `${name}__${field}`)])
  const dumped = Map.groupBy(await dumpTables(tool, from, names), ([table]) => table)
  return new Map(
    names.map((name) => {
      const rows = dumped.get(name) ?? []
      return [
        name.replace('__', '.'),
        rowsById(
          name,
          rows.map(([, row]) => row),
        ),
      ]
    }),
  )
}
