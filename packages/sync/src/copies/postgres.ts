// A copy in a schema of a PostgreSQL database, with columns of their own types. A page is one transaction, so that a run
// that is killed leaves the last one whole; the lock of a run belongs to its connection and ends with it.

import { setTimeout as wait } from 'node:timers/promises'
import type { ChildTable, CopyTable } from '../tables.ts'
import {
  type Copy,
  CopyBusy,
  CopyProblem,
  type CopyRow,
  type CopyState,
  type PageWrite,
  type TableState,
  type WalkEnd,
} from './copy.ts'
import { declaration, makeSchema, qualified, quoted } from './postgres-schema.ts'
import { CopyLost, PostgresSession } from './postgres-session.ts'
import { jsonOfRows, lastOfEach } from './postgres-values.ts'

/** Where a PostgreSQL copy is. */
export interface PostgresPlace {
  /** postgres:// URL of the database. Not through a pooler that shares connections: the lock belongs to one. */
  readonly url: string
  /** Schema that is the copy's alone; `store_export` unless said. */
  readonly schema?: string
}

/** The server may take a moment to notice that a run was killed. */
const LOCK_WAIT_MS = 2000
const LOCK_PAUSE_MS = 100

/** A copy in a schema, made where it is missing. */
export class PostgresCopy implements Copy {
  readonly name: string
  readonly #url: string
  readonly #schema: string
  #session: PostgresSession | null = null

  constructor({ url, schema = 'store_export' }: PostgresPlace) {
    this.#url = url
    this.#schema = schema
    this.name = `${withoutPassword(url)}, schema ${schema}`
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    const session = new PostgresSession(this.#url, this.name)
    this.#session = session
    try {
      await this.#lock()
      await session.transaction(() => makeSchema(session, { schema: this.#schema, copy: this.name, tables }))
      return await this.#state()
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async claim(storeId: string): Promise<void> {
    await this.#run(
      `insert into ${this.#at('_sync_copy')} (one, store_id) values (1, $1)
      on conflict (one) do update set store_id = excluded.store_id`,
      [storeId],
    )
  }

  async write({ table, rows, isWhole }: PageWrite): Promise<void> {
    if (rows.length === 0) return
    const parents = lastOfEach(rows)
    const ids = JSON.stringify(parents.map(({ id }) => id))
    await this.#opened().transaction(async () => {
      await this.#upsert(table, parents)
      if (isWhole) await this.#markSeen(table.name, ids)
      for (const child of table.children) {
        await this.#run(`delete from ${this.#at(child.name)} where ${quoted(child.parentColumn)} in (${idsOf('$1')})`, [
          ids,
        ])
        await this.#upsert(child, lastOfEach(parents.flatMap((row) => childrenOf(row, child))))
      }
    })
  }

  async end({ table, state, isWhole }: WalkEnd): Promise<number> {
    return this.#opened().transaction(async () => {
      await this.#run('set local enable_seqscan = on')
      const removed = isWhole ? await this.#removeUnseen(table) : 0
      await this.#run(`delete from ${this.#at('_sync_seen')} where table_name = $1`, [table.name])
      await this.#run(
        `insert into ${this.#at('_sync_tables')} (table_name, since, whole_at) values ($1, $2, $3)
        on conflict (table_name) do update set since = excluded.since, whole_at = excluded.whole_at`,
        [table.name, state.since, state.wholeAt],
      )
      return removed
    })
  }

  async count(table: string): Promise<number> {
    const [row] = await this.#run(`select count(*) as rows from ${this.#at(table)}`)
    return Number(row?.rows)
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    const session = this.#session
    this.#session = null
    await session?.end()
  }

  async #lock(): Promise<void> {
    // a connection whose other end vanished frees the lock within a minute or two
    const settings = [
      'tcp_keepalives_idle = 30',
      'tcp_keepalives_interval = 10',
      'client_connection_check_interval = 1000',
      // a page is small beside its table: until the server has statistics it would read all of a table for each page
      'enable_seqscan = off',
    ]
    const [row] = await this.#run(`select current_setting('server_encoding') as encoding`)
    if (row?.encoding !== 'UTF8')
      throw new CopyProblem(
        `the database of ${this.name} is in ${row?.encoding}, and only one in UTF8 holds every text`,
      )
    // not every server has them
    for (const setting of settings) await this.#run(`set ${setting}`).catch(unlessLost)
    const until = Date.now() + LOCK_WAIT_MS
    while (!(await this.#tryLock())) {
      if (Date.now() >= until) throw new CopyBusy(this.name)
      await wait(LOCK_PAUSE_MS)
    }
  }

  async #tryLock(): Promise<boolean> {
    const key = `hashtextextended('store-sync ' || current_database() || '.' || $1::text, 0)`
    const [row] = await this.#run(`select pg_try_advisory_lock(${key}) as locked`, [this.#schema])
    return row?.locked === true
  }

  async #state(): Promise<CopyState> {
    const [copy] = await this.#run(`select store_id from ${this.#at('_sync_copy')}`)
    const rows = await this.#run(`select table_name, since, whole_at from ${this.#at('_sync_tables')}`)
    const tables = rows.map(({ table_name: name, since, whole_at: wholeAt }): [string, TableState] => [
      String(name),
      { since: textOrNull(since), wholeAt: textOrNull(wholeAt) },
    ])
    return { storeId: textOrNull(copy?.store_id), tables: new Map(tables) }
  }

  async #upsert({ name, columns }: Pick<CopyTable, 'name' | 'columns'>, rows: readonly CopyRow[]): Promise<void> {
    if (rows.length === 0) return
    const names = columns.map((column) => quoted(column.name))
    await this.#run(
      `insert into ${this.#at(name)} (${names.join(', ')})
      select ${names.join(', ')} from jsonb_to_recordset($1::text::jsonb) as page(${columns.map(declaration).join(', ')})
      on conflict (id) do update set ${names.map((each) => `${each} = excluded.${each}`).join(', ')}`,
      [jsonOfRows(columns, rows)],
    )
  }

  async #markSeen(table: string, ids: string): Promise<void> {
    await this.#run(
      `insert into ${this.#at('_sync_seen')} (table_name, id)
      select $1, id from (${idsOf('$2')}) as page on conflict do nothing`,
      [table, ids],
    )
  }

  async #removeUnseen({ name, children }: CopyTable): Promise<number> {
    const gone = `select id from ${this.#at(name)} as kept where not exists
      (select from ${this.#at('_sync_seen')} as seen where seen.table_name = $1 and seen.id = kept.id)`
    for (const child of children) {
      await this.#run(`delete from ${this.#at(child.name)} where ${quoted(child.parentColumn)} in (${gone})`, [name])
    }
    return (await this.#run(`delete from ${this.#at(name)} where id in (${gone})`, [name])).count
  }

  #run(text: string, values: (string | null)[] = []) {
    return this.#opened().run(text, values)
  }

  #opened(): PostgresSession {
    if (this.#session === null) throw new Error(`${this.name} is not open`)
    return this.#session
  }

  #at(table: string): string {
    return qualified(this.#schema, table)
  }
}

const idsOf = (place: string) => `select value::uuid as id from jsonb_array_elements_text(${place}::text::jsonb)`

function childrenOf(row: CopyRow, { field }: ChildTable): CopyRow[] {
  const children = row[field]
  return Array.isArray(children) ? children : []
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** What follows the path is left out too: a password may be among it. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'the PostgreSQL database'
  const { username, host, pathname } = new URL(url)
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
}

function unlessLost(error: unknown): void {
  if (error instanceof CopyLost) throw error
}
