// Tests a list that is declared only in the contract: the client and store-sync read it, although their code does not
// name it.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreExportClient } from '@store-export/client'
import { clientEndpoints, ENDPOINTS, type Endpoint, ids, location, page } from '@store-export/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { Caller } from '../../client/src/caller.ts'
import { SqliteCopy } from '../src/index.ts'
import { listIds } from '../src/run/list-ids.ts'
import { listRows } from '../src/run/list-rows.ts'
import { type CopyTable, copyTables } from '../src/tables.ts'

// The added lists have the rows of locations under another name and path, so that a real service can return them.
const warehouse = { ...location, name: 'Warehouse', plural: 'warehouses', table: 'warehouses' }
const ADDED: readonly Endpoint[] = [
  page({ id: 'listWarehouses', path: '/warehouses', resource: warehouse }),
  ids({ id: 'listWarehouseIds', path: '/ids/warehouses', resource: warehouse }),
]

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql`insert into locations (id, name)
    select gen_random_uuid(), 'Warehouse ' || n from generate_series(1, 300) as n`
})
afterAll(() => platform?.close())

/** A client generated from the contract with the added endpoints. */
async function createClientWithList(): Promise<StoreExportClient> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'endpoints.mjs')
  await writeFile(file, stripTypeScriptTypes(clientEndpoints({ endpoints: [...ENDPOINTS, ...ADDED] })))
  const { Endpoints } = await import(pathToFileURL(file).href)
  const withLocations: typeof fetch = (url, init) => fetch(String(url).replace('/warehouses', '/locations'), init)
  return new Endpoints(new Caller(platform.service.url, store.key, { fetch: withLocations }))
}

function theTable(): CopyTable {
  const table = copyTables([...ENDPOINTS, ...ADDED]).find(({ name }) => name === 'warehouses')
  if (table === undefined) throw new Error('the copy has no table of the added resource')
  return table
}

test('[VER-1] if a list is added to the contract, the generated client and store-sync read the rows and IDs of the list', async () => {
  const client = await createClientWithList()
  const rows = []
  for await (const each of listRows(client, theTable(), {})) rows.push(...each.rows)
  expect(rows).toHaveLength(300)
  const ids = []
  for await (const each of listIds(client, theTable(), new AbortController().signal)) ids.push(...each)
  expect(ids.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
})

test('[VER-1] if a list is added to the contract, a copy gets a table with the columns of the list', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const table = theTable()
  expect(table.columns.map(({ name }) => name)).toEqual(Object.keys(location.fields))
  const copy = new SqliteCopy(path.join(folder, 'shop.db'))
  await copy.open([table])
  await copy.close()
})

test("if the installed client has no method for a table's list, listRows throws an error that names the path of the list", async () => {
  const client = new StoreExportClient({ url: platform.service.url, key: store.key })
  await expect(listRows(client, theTable(), {}).next()).rejects.toThrow(
    'the client has no method for /api/v1/warehouses: install its newest version',
  )
})
