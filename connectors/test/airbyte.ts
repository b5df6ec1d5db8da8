// Reads a store with airbyte-cdk, and loads its messages into PostgreSQL as a destination of Airbyte does.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Sql } from 'postgres'
import { LATEST_REVISION, type RevisionId } from '../../packages/contract/src/index.ts'
import { openClient } from '../../test/support/client.ts'
import { compareRows, rowsById } from './compare.ts'
import type { ConnectorResult } from './connector-result.ts'
import { type DemoStore, RUNS, withDemoStore } from './demo-store.ts'
import { checkIgnored } from './older-service.ts'
import { installTool, type PythonTool, runProgram, withWorkFolder } from './python-tool.ts'
import type { Rows } from './read-store.ts'
import { runReadme } from './readme.ts'
import { withRetryProxy } from './retry-proxy.ts'

const PACKAGES = ['airbyte-cdk==7.39.1']
const FOLDER = path.join(import.meta.dirname, '..', 'airbyte')
const HOUR_MS = 3_600_000
const OUTPUT_BYTES_MAX = 1 << 30

/** A message of the connector. The test reads only these members. */
interface Message {
  readonly type: string
  readonly record?: LoadedRecord
  readonly state?: { readonly stream: { readonly stream_descriptor: { readonly name: string } } }
  readonly catalog?: { readonly streams: readonly DiscoveredStream[] }
  readonly connectionStatus?: { readonly status: string; readonly message?: string }
  readonly spec?: object
}

interface LoadedRecord {
  readonly stream: string
  readonly data: Record<string, unknown>
  readonly emitted_at: number
}

interface DiscoveredStream {
  readonly name: string
  readonly supported_sync_modes: readonly string[]
}

/** Tests the manifest, also with a store that does not track the updates of its customers. */
export async function testAirbyte(): Promise<ConnectorResult[]> {
  const tool = await installTool('airbyte', PACKAGES)
  await withDemoStore(LATEST_REVISION, async (store) => {
    await runReadme(FOLDER, store, PACKAGES)
    await withWorkFolder((cwd) =>
      checkIgnored(store.url, 'updated_until', (url) => readOnce({ ...store, url }, tool, cwd)),
    )
  })
  const read = (revision: RevisionId) =>
    withDemoStore(revision, (store) =>
      withRetryProxy(store.url, (url) =>
        withWorkFolder((cwd) => new AirbyteSync({ ...store, url }, tool, { cwd, revision }).run()),
      ),
    )
  return [await read(LATEST_REVISION), await read('launch')]
}

/** Reads without a state. The connector prints its errors as messages, so a rejection has the whole output. */
async function readOnce({ url, key }: DemoStore, tool: PythonTool, cwd: string): Promise<void> {
  await writeFile(path.join(cwd, 'config.json'), JSON.stringify({ url, api_key: key }))
  const catalog = path.join(FOLDER, 'catalog.json')
  const parameters = [path.join(FOLDER, 'run.py'), 'read', '--config', 'config.json', '--catalog', catalog]
  const reading = promisify(execFile)(tool.program('python'), parameters, { cwd, maxBuffer: OUTPUT_BYTES_MAX })
  await reading.catch(({ stdout }) => {
    throw new Error(stdout)
  })
}

class AirbyteSync {
  readonly #store: DemoStore
  readonly #tool: PythonTool
  readonly #cwd: string
  readonly #revision: RevisionId
  readonly #states = new Map<string, object>()
  readonly #sql: Sql

  constructor(store: DemoStore, tool: PythonTool, { cwd, revision }: { cwd: string; revision: RevisionId }) {
    this.#store = store
    this.#tool = tool
    this.#cwd = cwd
    this.#revision = revision
    this.#sql = openClient(store.server.url('postgres'))
  }

  async run(): Promise<ConnectorResult> {
    try {
      await this.#prepare()
      const transactions = await this.#store.syncUnderLoad((run) => this.#sync(run))
      const differences = compareRows(await this.#store.read(), await this.#loaded())
      return { tool: `Airbyte, store ${this.#revision}`, version: this.#tool.version, transactions, differences }
    } finally {
      await this.#sql.end()
    }
  }

  /** Writes the configuration and the catalog, as the platform does after `spec`, `check`, and `discover`. */
  async #prepare(): Promise<void> {
    const { url, key } = this.#store
    const config = { url, api_key: key, customer_updates: this.#revision !== 'launch' }
    await this.#write('config.json', config)
    const spec = await this.#connector('spec')
    if (!spec.some((message) => message.spec !== undefined)) throw new Error('spec: no message of the type SPEC')
    const check = await this.#connector('check', '--config', 'config.json')
    const status = check.find(({ connectionStatus }) => connectionStatus !== undefined)?.connectionStatus
    if (status?.status !== 'SUCCEEDED') throw new Error(`check: ${JSON.stringify(status)}`)
    const found = await this.#connector('discover', '--config', 'config.json')
    const streams = found.flatMap(({ catalog }) => catalog?.streams ?? [])
    await this.#write('catalog.json', { streams: streams.map(configured) })
    for (const { name } of streams)
      await this.#sql.unsafe(
        `create table ${name} (id text primary key, _airbyte_extracted_at timestamptz, data jsonb)`,
      )
  }

  async #sync(run: number): Promise<void> {
    await this.#write('state.json', [...this.#states.values()])
    const messages = await this.#connector(
      ...['read', '--config', 'config.json', '--catalog', 'catalog.json', '--state', 'state.json'],
    )
    await this.#replaceWholeStreams()
    // The documented SQL expects syncs that are at least 10 minutes apart.
    const shiftMs = (RUNS - run) * HOUR_MS
    const records = messages.flatMap(({ record }) => (record === undefined ? [] : [record]))
    for (const [stream, loaded] of Map.groupBy(records, (record) => record.stream))
      await this.#load(stream, loaded, shiftMs)
    for (const { state } of messages)
      if (state !== undefined) this.#states.set(state.stream.stream_descriptor.name, { type: 'STREAM', ...state })
    await this.#removeDeleted()
  }

  async #replaceWholeStreams(): Promise<void> {
    const catalog = JSON.parse(await readFile(path.join(this.#cwd, 'catalog.json'), 'utf8'))
    for (const { stream, sync_mode: mode } of catalog.streams)
      if (mode === 'full_refresh') await this.#sql.unsafe(`truncate ${stream.name}`)
  }

  async #load(stream: string, records: readonly LoadedRecord[], shiftMs: number): Promise<void> {
    const rows = new Map(records.map(({ data, emitted_at: emittedAt }) => [String(data.id), { data, emittedAt }]))
    const values = [...rows].map(([id, { data, emittedAt }]) => ({ id, at: new Date(emittedAt - shiftMs), data }))
    await this.#sql.unsafe(
      `insert into ${stream}
       select each ->> 'id', (each ->> 'at')::timestamptz, each -> 'data' from jsonb_array_elements($1::text::jsonb) each
       on conflict (id) do update set _airbyte_extracted_at = excluded._airbyte_extracted_at, data = excluded.data`,
      [JSON.stringify(values)],
    )
  }

  /** Runs the SQL of the README for each stream that has a stream of IDs. */
  async #removeDeleted(): Promise<void> {
    const readme = await readFile(path.join(FOLDER, 'README.md'), 'utf8')
    const statement = /```sql\n(?<sql>[\s\S]*?)```/.exec(readme)?.groups?.sql
    if (statement === undefined) throw new Error('the README has no SQL')
    const tables = await this.#sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_name like '%\_ids'`
    for (const { name } of tables) await this.#sql.unsafe(statement.replaceAll('orders', name.replace(/_ids$/, '')))
  }

  async #loaded(): Promise<Rows> {
    const rows = new Map<string, Map<string, Record<string, unknown>>>()
    const tables = await this.#sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`
    for (const { name } of tables) {
      const loaded = await this.#sql.unsafe<{ data: string }[]>(`select data::text as data from ${name}`)
      const parsed = loaded.map(({ data }) => JSON.parse(data) as Record<string, unknown>)
      rows.set(name, rowsById(name, parsed))
      for (const field of ['items', 'variants'])
        if (parsed.some((row) => Array.isArray(row[field])))
          rows.set(
            `${name}.${field}`,
            rowsById(
              name,
              parsed.flatMap((row) => row[field] as Record<string, unknown>[]),
            ),
          )
    }
    return rows
  }

  async #write(name: string, value: object): Promise<void> {
    await writeFile(path.join(this.#cwd, name), JSON.stringify(value))
  }

  async #connector(...parameters: string[]): Promise<Message[]> {
    const script = path.join(FOLDER, 'run.py')
    const output = await runProgram(this.#tool.program('python'), [script, ...parameters], { cwd: this.#cwd })
    return output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  }
}

function configured({ name, supported_sync_modes: modes, ...rest }: DiscoveredStream): object {
  const isIncremental = modes.includes('incremental')
  // Without changes, a sync reads the whole list, and the destination replaces the rows with the same ID.
  const mode = isIncremental ? 'incremental' : 'full_refresh'
  return {
    stream: { name, supported_sync_modes: modes, ...rest },
    sync_mode: mode,
    destination_sync_mode: isIncremental ? 'append_dedup' : 'overwrite',
    ...(isIncremental ? { cursor_field: ['updated_at'] } : {}),
    primary_key: [['id']],
  }
}
