// Sends hostile statements to `store-sync mcp` through the client of the official MCP SDK.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CANARY, createAssistantCopy } from './support/assistant-copy.ts'
import { createFolder } from './support/folders.ts'
import {
  expensiveStatements,
  GUESS,
  hugeStatements,
  readingStatements,
  writingStatements,
} from './support/hostile-statements.ts'
import { callText, connectMcp, type McpClient } from './support/mcp-client.ts'

const STATEMENT_MS_MAX = 2000
const STATEMENTS_MIN = 500
const RESULT_BYTES_MAX = 16_000

let folder: string
let removeFolder: () => Promise<void>
let file: string
let client: McpClient
beforeAll(async () => {
  const created = await createFolder()
  folder = created.folder
  removeFolder = created.remove
  file = await createAssistantCopy(folder)
  client = await connectMcp(['--from', `sqlite:${file}`])
  // Starts the process of the statements.
  await callText(client, 'query', { sql: 'select 1' })
})
afterAll(async () => {
  await client.close()
  await removeFolder()
})

const hash = async () =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

test('none of 500 hostile SQL statements to the MCP server changes a file, reveals a personal value, or takes longer than two seconds', async () => {
  const before = [await hash(), ...(await readdir(folder))]
  const personal = readingStatements()
  // The cheap statement shows that the process is there again.
  const expensive = expensiveStatements().flatMap((sql, n) => [sql, `select ${n} as next`])
  const all = [...writingStatements(folder), ...personal, ...hugeStatements(), ...expensive]
  // Upper case and comments must not matter.
  const variants = [...all, ...personal.map((sql) => sql.toUpperCase().replaceAll(' ', '/**/ \t'))]
  expect(new Set(variants).size).toBeGreaterThanOrEqual(STATEMENTS_MIN)
  const failures: object[] = []
  for (const sql of new Set(variants)) {
    const startedAt = performance.now()
    const text = await callText(client, 'query', { sql })
    const ms = performance.now() - startedAt
    const reveals = text.toUpperCase().replaceAll(GUESS.toUpperCase(), '').includes(CANARY)
    if (reveals || ms > STATEMENT_MS_MAX || Buffer.byteLength(text) > RESULT_BYTES_MAX)
      failures.push({ sql: sql.slice(0, 200), ms, text: text.slice(0, 300) })
  }
  expect(failures).toEqual([])
  expect([await hash(), ...(await readdir(folder))]).toEqual(before)
  expect(await callText(client, 'query', { sql: 'select count(*) from orders' })).toContain('[2000]')
}, 120_000)

test('if an SQL statement filters or joins by a personal or internal column, the MCP tool query returns an error', async () => {
  for (const sql of [
    `select count(*) from orders where email = '${GUESS}'`,
    `select orders.id from orders join (select '${GUESS}' as email) using (email)`,
    `select orders.id from customers join orders using (email)`,
    `select count(*) from orders where exists (select 1 from customers c where c.email = orders.email)`,
    `select count(*) from mailing_list natural join (select '${GUESS}' as email)`,
    `select count(*) from sqlite_stat4 natural join (select 'customers' as tbl)`,
  ])
    expect(await client.callTool({ name: 'query', arguments: { sql } }), sql).toMatchObject({ isError: true })
})

test('if 20 SQL statements arrive at once and the first is slow, the MCP server stops the first, runs 15 others, and rejects four', async () => {
  const slow = 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c'
  const [first, ...others] = await Promise.all(
    [slow, ...Array.from({ length: 19 }, () => 'select 1')].map((sql) => callText(client, 'query', { sql })),
  )
  expect(first).toContain('stopped after 1.5 seconds')
  expect(others.filter((text) => text.includes('[1]'))).toHaveLength(15)
  expect(others.filter((text) => text.includes('16 calls are waiting'))).toHaveLength(4)
  expect(await callText(client, 'query', { sql: 'select 2' })).toContain('[2]')
})
