// Loads the messages of `store-sync run --to singer` into PostgreSQL with a real target.

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { LATEST_REVISION } from '../../packages/contract/src/index.ts'
import { TABLES } from '../../packages/sync/src/tables.ts'
import { openClient } from '../../test/support/client.ts'
import { compareRows, rowsById } from './compare.ts'
import type { ConnectorResult } from './connector-result.ts'
import { type DemoStore, RUNS, withDemoStore } from './demo-store.ts'
import { dumpTables, installTool, type PythonTool, runProgram, withWorkFolder } from './python-tool.ts'
import type { Rows } from './read-store.ts'
import { runReadme } from './readme.ts'

const PACKAGES = ['meltanolabs-target-postgres==0.8.1']
const FOLDER = path.join(import.meta.dirname, '..', 'singer')
const COMMAND = path.join(import.meta.dirname, '..', '..', 'packages', 'sync', 'src', 'main.ts')
const EXAMPLE_URL = 'postgresql+psycopg://shop:secret@localhost:5432/shop'
const SCHEMA = 'shop'

/** Tests the messages with a target. */
export async function testSinger(): Promise<ConnectorResult[]> {
  const tool = await installTool('singer', PACKAGES)
  await withDemoStore(LATEST_REVISION, (store) =>
    runReadme(FOLDER, store, PACKAGES, { [EXAMPLE_URL]: targetUrl(store) }),
  )
  return [await withDemoStore(LATEST_REVISION, (store) => withWorkFolder((cwd) => load(store, tool, cwd)))]
}

async function load(store: DemoStore, tool: PythonTool, cwd: string): Promise<ConnectorResult> {
  const config = path.join(cwd, 'target.json')
  const state = path.join(cwd, 'state.json')
  await writeFile(config, JSON.stringify({ sqlalchemy_url: targetUrl(store), default_target_schema: SCHEMA }))
  await writeFile(state, '{}')
  const env = { STORE_EXPORT_KEY: store.key }
  const sync = async (options: readonly string[]) => {
    const run = ['run', '--url', store.url, '--to', 'singer', '--overlap', '0s', '--state', state, ...options]
    const messages = await runProgram(process.execPath, [COMMAND, ...run], { cwd, env })
    const states = await runProgram(tool.program('target-postgres'), ['--config', config], { cwd, input: messages })
    await writeFile(state, states.trim().split('\n').at(-1) ?? '')
    await removeDeleted(store)
  }
  const transactions = await store.syncUnderLoad(async (run) => {
    await sync(['--prune'])
    // Incremental runs don't show removed addresses.
    if (run === RUNS) await sync(['--full', '--tables', addressTables().join(',')])
  })
  const differences = compareRows(await store.read(), await readLoaded(store, tool))
  return { tool: 'Singer, target-postgres', version: tool.version, transactions, differences }
}

function targetUrl({ server }: DemoStore): string {
  return server.url('postgres').replace(/^postgres(?:ql)?:/, 'postgresql+psycopg:')
}

function addressTables(): string[] {
  return TABLES.filter(({ hidesRemoved }) => hidesRemoved).map(({ name }) => name)
}

/** Runs the SQL of the README for each table. */
async function removeDeleted({ server }: DemoStore): Promise<void> {
  const readme = await readFile(path.join(FOLDER, 'README.md'), 'utf8')
  const [rows, embedded] = /```sql\n(?<sql>[\s\S]*?)```/.exec(readme)?.groups?.sql?.split(/;\n/) ?? []
  if (rows === undefined || embedded === undefined) throw new Error('the README has no SQL')
  const sql = openClient(server.url('postgres'))
  try {
    for (const { name, children } of TABLES) {
      await sql.unsafe(rows.replaceAll('orders', name))
      for (const child of children)
        await sql.unsafe(
          embedded
            .replaceAll('order_items', child.name)
            .replaceAll('orders', name)
            .replaceAll('order_id', child.parentColumn),
        )
    }
  } finally {
    await sql.end()
  }
}

async function readLoaded({ server }: DemoStore, tool: PythonTool): Promise<Rows> {
  const names = TABLES.flatMap(({ name, children }) => [
    [name, name] as const,
    ...children.map((child) => [child.name, `${name}.${child.field}`] as const),
  ])
  const from = { kind: 'postgres', database: server.url('postgres'), schema: SCHEMA } as const
  const pairs = await dumpTables(
    tool,
    from,
    names.map(([table]) => table),
  )
  const dumped = Map.groupBy(pairs, ([table]) => table)
  return new Map(
    names.map(([table, name]) => {
      const rows = dumped.get(table) ?? []
      return [
        name,
        rowsById(
          table,
          rows.map(([, row]) => row),
        ),
      ]
    }),
  )
}
