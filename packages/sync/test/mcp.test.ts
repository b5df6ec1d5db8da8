// Calls the tools of `store-sync mcp` with the client of the official MCP SDK.

import { readFileSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TABLES } from '../src/index.ts'
import { RESULT_BYTES_MAX, ROW_BYTES_MAX } from '../src/mcp/result-text.ts'
import { personalColumns } from '../src/mcp/visible-columns.ts'
import { CANARY, COPIED_AT, createAssistantCopy, idOf } from './support/assistant-copy.ts'
import { createFolder, createTestFolder } from './support/folders.ts'
import { callText, connectMcp, type McpClient } from './support/mcp-client.ts'
import { runProgram } from './support/run-program.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
const COMMAND = path.resolve(import.meta.dirname, '..', 'src', 'main.ts')
const BIN = path.resolve(import.meta.dirname, '..', 'bin', 'store-sync.js')
const CUSTOMER_COLUMNS = TABLES.find(({ name }) => name === 'customers')?.columns.map(({ name }) => name) ?? []
const NAMES = ['schema', 'query', 'order', 'customer', 'freshness']
/** Bytes per token of English text and JSON. Tokenizers differ, so the tests divide the bytes instead of using one. */
const BYTES_PER_TOKEN = 4
const DESCRIPTION_TOKENS_MAX = 1500
const RESULT_TOKENS_MAX = 8000

let removeFolder: () => Promise<void>
let file: string
let client: McpClient
let personal: McpClient
beforeAll(async () => {
  const { folder, remove } = await createFolder()
  removeFolder = remove
  file = await createAssistantCopy(folder)
  client = await connectMcp(['--from', `sqlite:${file}`])
  personal = await connectMcp(['--from', `sqlite:${file}`, '--with-personal-data'])
})
afterAll(async () => {
  await client.close()
  await personal.close()
  await removeFolder()
})

const query = (sql: string) => callText(client, 'query', { sql })

describe('the MCP tools', () => {
  test.each(['legacy', 'auto'] as const)(
    'if an MCP client negotiates the protocol version in mode %s, the server lists five tools and returns the result of a query',
    async (mode) => {
      const other = await connectMcp(['--from', `sqlite:${file}`], { mode })
      try {
        expect(other.getServerVersion()).toMatchObject({ name: 'store-sync' })
        expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(NAMES)
        expect(await callText(other, 'query', { sql: 'select 1 as one' })).toContain('["one"]\n[1]\n1 row.')
      } finally {
        await other.close()
      }
    },
  )

  test('the tool list and instructions of the MCP server together take fewer than 1,500 tokens, counted as four bytes each', async () => {
    for (const each of [client, personal]) {
      const { tools } = await each.listTools()
      const bytes = Buffer.byteLength(JSON.stringify(tools) + each.getInstructions())
      expect(bytes / BYTES_PER_TOKEN).toBeLessThan(DESCRIPTION_TOKENS_MAX)
    }
  })

  test('the result of each MCP tool begins with the time of the last sync of the copy', async () => {
    const calls: [string, object][] = [
      ['schema', {}],
      ['schema', { table: 'orders' }],
      ['query', { sql: 'select count(*) from orders' }],
      ['query', { sql: 'select 1' }],
      ['order', { id: idOf('orders', 7) }],
      ['order', { id: idOf('orders', 999_999) }],
      ['customer', { id: idOf('customers', 7) }],
      ['customer', { id: idOf('customers', 999_999) }],
      ['freshness', {}],
    ]
    for (const [name, args] of calls)
      for (const each of [client, personal])
        expect(await callText(each, name, args), name).toMatch(new RegExp(`^As of ${COPIED_AT} \\(.+ ago\\)\\.\n`))
  })

  test('the MCP tool schema lists all tables of the copy, or describes a given table, and rejects an unknown table', async () => {
    const text = await callText(client, 'schema')
    for (const { name } of TABLES) expect(text).toMatch(new RegExp(`^${name}: id`, 'm'))
    expect(await callText(client, 'schema', { table: 'orders' })).toContain(
      '- total money: Amount that the customer paid.',
    )
    expect(await callText(client, 'schema', { table: 'order' })).toContain('table: must be one of store, ')
  })

  test('the MCP tool query returns the column names, and each row as a JSON array', async () => {
    const text = await query(
      'select status, count(*) as n, sum(total_cents) as cents from orders group by 1 order by 1',
    )
    expect(text).toContain('["status","n","cents"]\n["cancelled",500,49905000]\n["paid",1500,150015000]\n2 rows.')
    expect(await query('select * from paid limit 1')).toContain('["id","total","total_cents"]')
  })

  test('the MCP tool order returns the order that has the given ID, with its items', async () => {
    const order = await callText(client, 'order', { id: idOf('orders', 7).toUpperCase() })
    expect(order).toContain(`{"id":"${idOf('orders', 7)}","customer_id":"${idOf('customers', 7)}","status":"paid"`)
    expect(order).toContain('"total":"7.10"')
    for (const n of [14, 15]) expect(order).toContain(`{"id":"${idOf('order_items', n)}"`)
  })

  test("the MCP tool customer returns the number and the exact total of a customer's orders by currency and status", async () => {
    const customer = await callText(client, 'customer', { id: idOf('customers', 7) })
    expect(customer).toContain('Orders by currency and status:\n{"currency":"EUR","status":"paid","orders":27,')
    const sql = `select sum(total_cents) from orders where customer_id = '${idOf('customers', 7)}' and status = 'paid'`
    const [, cents = 0] = (await query(sql))
      .split('\n')
      .slice(1)
      .flatMap((line) => (line.startsWith('[') ? JSON.parse(line) : []))
    expect(customer).toContain(`"total":"${(cents / 100).toFixed(2)}"`)
  })

  test('the MCP tool freshness returns the number of rows and the time of the last full sync of each table', async () => {
    const text = await callText(client, 'freshness')
    expect(text).toContain(`["orders","${COPIED_AT}",2000,"${COPIED_AT}"]`)
    expect(text).toContain(`["order_items","${COPIED_AT}",4000,"${COPIED_AT}"]`)
  })

  test('if an argument of an MCP tool is missing, invalid, or unknown, the result is an error that names this argument', async () => {
    const messages = [
      await callText(client, 'query', {}),
      await callText(client, 'query', { sql: 1 }),
      await callText(client, 'order', { id: 'x' }),
      await callText(client, 'freshness', { table: 'orders' }),
      await callText(client, 'customer', { email: 'a@example.com' }),
      await callText(personal, 'customer', {}),
    ]
    expect(messages).toEqual([
      'query: needs the argument sql',
      'sql: must be a string',
      'id: must be a UUID; got "x"',
      'freshness: has no argument "table"; it has no arguments',
      'customer: has no argument "email"; the arguments are id',
      'customer: needs either id or email',
    ])
    await expect(client.callTool({ name: 'delete' })).rejects.toThrow('unknown tool')
  })
})

describe('long results of MCP tools', () => {
  test('if the rows of a query exceed 16,000 bytes, the MCP result is cut and gives the limit and offset for the rest', async () => {
    const text = await callText(personal, 'query', { sql: 'select * from orders order by id' })
    const [, rows = ''] = /Cut after (\d+) rows, .* limit (\d+) offset \1;/.exec(text) ?? []
    expect(Number(rows)).toBeGreaterThan(5)
    const rest = await callText(personal, 'query', { sql: `select id from orders order by id limit 1 offset ${rows}` })
    expect(text).not.toContain(JSON.parse(rest.split('\n')[2] ?? '[]')[0])
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_BYTES_MAX)
    expect(RESULT_BYTES_MAX / 2).toBeLessThanOrEqual(RESULT_TOKENS_MAX)
  })

  test.each([
    "select printf('%.*c', 100000, 'x')",
    `select ${Array.from({ length: 100 }, (_, n) => `printf('%.*c', 1900, 'ü') as c${n}`).join(', ')}`,
    `select 1 as "${'x'.repeat(9000)}", 2 as "${'ü'.repeat(800)}" from orders`,
    "select hex(zeroblob(100000)), zeroblob(100000), 'a' || char(0) || 'b'",
  ])(
    'if the query "$0" returns long values or names, the MCP result has at most 16,000 bytes and says that it is cut',
    async (sql) => {
      const text = await query(sql)
      expect(text).toMatch(/[Cc]ut/)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_BYTES_MAX)
    },
  )
})

test('if the row of an order or of a customer is too long for a result, the MCP tools order and customer say so', async () => {
  const large = path.join(await createTestFolder(), 'large.db')
  await copyFile(file, large)
  const [order, customer] = [idOf('orders', 7), idOf('customers', 7)]
  const database = new DatabaseSync(large)
  // The tools cut each value to 2,000 characters, which can have more bytes.
  const long = '語'.repeat(2000)
  database.exec(`
    update orders set carrier = '${long}', locale = '${long}', shipping_method = '${long}' where id = '${order}';
    update customers set name = '${long}', phone = '${long}', processor_customer_id = '${long}' where id = '${customer}'`)
  database.close()
  const other = await connectMcp(['--from', `sqlite:${large}`, '--with-personal-data'])
  const advice = 'Use query to select fewer columns.'
  expect(await callText(other, 'order', { id: order })).toMatch(
    new RegExp(`^As of .*\\nThe copy has the order ${order}, but its row is too long for a result. ${advice}$`),
  )
  for (const args of [{ id: customer }, { email: `${CANARY}-7@example.com` }])
    expect(await callText(other, 'customer', args)).toMatch(
      new RegExp(`^As of .*\\nThe copy has this customer, but the row is too long for a result. ${advice}$`),
    )
  await other.close()
})

test('if the row of a customer leaves no room for the order totals, the MCP tool customer does not say that there are no orders', async () => {
  const large = path.join(await createTestFolder(), 'large.db')
  await copyFile(file, large)
  const id = idOf('customers', 7)
  const database = new DatabaseSync(large)
  const update = database.prepare('update customers set name = ?, phone = ?, processor_customer_id = ? where id = ?')
  const long = '語'.repeat(2000)
  update.run(long, long, '', id)
  const row = database.prepare(`select ${CUSTOMER_COLUMNS.join(', ')} from customers where id = ?`).get(id)
  const bytes = Buffer.byteLength(JSON.stringify(Object.values(row ?? {})))
  update.run(long, long, 'x'.repeat(ROW_BYTES_MAX - bytes - 1), id)
  database.close()
  const other = await connectMcp(['--from', `sqlite:${large}`, '--with-personal-data'])
  const text = await callText(other, 'customer', { id })
  await other.close()
  expect(text).toContain('Cut: the result is too long. Use query for the rest.')
  expect(text).not.toContain('No orders.')
})

describe('personal data in MCP tools', () => {
  test('without --with-personal-data, the MCP tools return no personal value, and the error of a query names the hidden column', async () => {
    const texts = [
      ...(await Promise.all(TABLES.map(({ name }) => query(`select * from ${name}`)))),
      await callText(client, 'order', { id: idOf('orders', 7) }),
      await callText(client, 'customer', { id: idOf('customers', 7) }),
    ]
    expect(texts.join('\n')).not.toContain(CANARY)
    expect(texts.filter((text) => !text.startsWith('As of'))).toEqual([])
    expect(await query('select o.email from orders o')).toContain(
      'orders.email and customers.email are personal and hidden',
    )
    for (const name of ['buyers', 'mailing_list', 'orders_overview'])
      expect(await query(`select * from ${name}`)).toContain(`${name} is hidden`)
  })

  test('with --with-personal-data, the MCP tools return personal values, and the tool customer finds a customer by email address', async () => {
    expect(await callText(personal, 'order', { id: idOf('orders', 7) })).toContain(`${CANARY}-7@example.com`)
    expect(await callText(personal, 'customer', { email: ` ${CANARY.toLowerCase()}-7@EXAMPLE.com` })).toContain(
      `${CANARY} name 7`,
    )
    for (const name of ['buyers', 'mailing_list', 'orders_overview'])
      expect((await callText(personal, 'query', { sql: `select * from ${name}` })).toUpperCase()).toContain(CANARY)
  })
})

describe('the MCP guide', () => {
  const guide = readFileSync(path.resolve(import.meta.dirname, '../../../docs/sync/guides/assistants.md'), 'utf8')

  test('the configurations in the MCP guide run store-sync mcp, and an MCP client that starts this program gets the result of a tool', async () => {
    const configurations = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))
    expect(configurations).toHaveLength(2)
    for (const { servers, mcpServers } of configurations) {
      const { command, args } = (servers ?? mcpServers).shop
      expect([command, ...args]).toEqual([
        'node',
        `/home/shop/store-data-export/${path.relative(ROOT, BIN)}`,
        'mcp',
        '--from',
        'sqlite:/home/shop/shop.db',
      ])
    }
    const other = await connectMcp(['--from', `sqlite:${file}`], { file: BIN })
    expect(await callText(other, 'freshness')).toContain('["orders",')
    await other.close()
  })

  test('the MCP guide lists exactly the columns that contain personal data according to the API contract', () => {
    const rows = [...guide.matchAll(/^\| `(\w+)` \| (`[^|]+) \|$/gm)]
    const listed = rows.flatMap(([, table, columns = '']) =>
      [...columns.matchAll(/`(\w+)`/g)].map(([, name]) => `${table}.${name}`),
    )
    expect(listed.toSorted()).toEqual(personalColumns().toSorted())
  })
})

describe('store-sync mcp', () => {
  const run = (args: readonly string[]) => runProgram(process.execPath, [COMMAND, 'mcp', ...args], {})

  test.each([
    [['--from', 'csv:shop'], 2, '--from: must be sqlite:FILE; got "csv:shop"'],
    [['--from', 'sqlite:/nonexistent/shop.db'], 1, '/nonexistent/shop.db does not exist; run `store-sync run --to'],
    [[], 2, "required option '--from <copy>' not specified"],
  ])(
    'if the arguments of store-sync mcp are %j, the command exits with code %i and the message %j',
    async (args, code, message) => {
      expect(await run(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    },
  )

  test('if Node.js lacks setAuthorizer, store-sync mcp exits with code 1 and names the version to install', async () => {
    // Node.js 24.0, which npm installs on macOS, does not have this function.
    const older = `data:text/javascript,import{DatabaseSync as D}from'node:sqlite';delete D.prototype.setAuthorizer`
    const args = ['--import', older, COMMAND, 'mcp', '--from', `sqlite:${file}`]
    const { code, stderr } = await runProgram(process.execPath, args, {})
    expect(code).toBe(1)
    expect(stderr).toContain(
      `store-sync mcp needs Node.js 24.10 or later, because it restricts statements; ${process.execPath} is ${process.versions.node}; install a newer Node.js`,
    )
  })

  test('if --from names a file that is not a copy, store-sync mcp exits with code 1 and says to run store-sync first', async () => {
    const other = path.join(await createTestFolder(), 'other.db')
    await writeFile(other, '')
    expect(await run(['--from', `sqlite:${other}`])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('other.db is not a copy; run `store-sync run'),
    })
  })
})
