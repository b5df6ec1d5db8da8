// Tests pages while the usage of keys can't be read, as if the workers of a distributed control database are lost. With
// `npm run test:server -- --control-worker URL`, the workers of a Citus cluster really are lost.

import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { allowConnections } from '../../../test/support/citus.ts'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
let store: TestStore
let visitor: PlainBrowser
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
  store = await platform.provision()
  visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
})
afterAll(() => platform.close())

const TABLES = ['usage_hours', 'request_log', 'walks']
const UNREADABLE = 'We can’t read these requests right now.'
const keysPage = () => `/stores/${store.id}/settings/api`

/** Runs `work` while no statement can read usage, and the other tables can be read. */
async function withoutUsage(work: () => Promise<void>): Promise<void> {
  const workers = inject('citusWorkers')
  const setReadable = async (isReadable: boolean) => {
    if (workers !== undefined)
      for (const worker of workers) await allowConnections(worker, platform.controlUrl, isReadable)
    else
      for (const table of TABLES)
        await platform.controlSql.unsafe(isReadable ? restore(table) : replaceByFailingView(table))
  }
  await setReadable(false)
  await work().finally(() => setReadable(true))
}

/** Each read of the view fails with the error of Citus for a lost worker. */
function replaceByFailingView(table: string): string {
  return `alter table ${table} rename to ${table}_away;
    create function fail_${table}() returns setof ${table}_away language plpgsql as
      $$ begin raise sqlstate '08006' using message = 'connection to the remote node failed'; end $$;
    create view ${table} as select * from fail_${table}()`
}

function restore(table: string): string {
  return `drop view ${table}; drop function fail_${table}(); alter table ${table}_away rename to ${table}`
}

test("if the usage of a store can't be read, the keys page shows the keys and says for each that its requests are unknown", async () => {
  await withoutUsage(async () => {
    for (const path of [keysPage(), `${keysPage()}/live`]) {
      const { status, text } = await visitor.get(path)
      expect(status).toBe(200)
      expect(text).toContain('<strong>Unknown.</strong> We can’t read the requests of this key right now.')
      expect(text).not.toContain('requests in 24 hours')
      expect(text).toContain(`/keys/${store.keyId}/revoke"`)
    }
    expect((await visitor.get(`${keysPage()}/keys/${store.keyId}/revoke`)).status).toBe(200)
  })
  expect((await visitor.get(keysPage())).text).not.toContain('Unknown.')
})

test("if the usage of a store can't be read, its pages return 503 and say so, and the page of a key shows its actions", async () => {
  const [usage, ofKey] = [`/stores/${store.id}/usage`, `/stores/${store.id}/usage/keys/${store.keyId}`]
  await withoutUsage(async () => {
    for (const path of [usage, ofKey]) {
      const { status, text } = await visitor.get(path)
      expect([path, status]).toEqual([path, 503])
      expect(text).toContain(UNREADABLE)
    }
    expect((await visitor.get(ofKey)).text).toContain(`/keys/${store.keyId}/rename"`)
  })
  for (const path of [usage, ofKey]) expect((await visitor.get(path)).status).toBe(200)
})

test("if the usage of a store can't be read, the page of a new key shows the key", async () => {
  const response = await visitor.send(keysPage(), `${keysPage()}/keys`, { name: 'New tool', tool: '' })
  const created = response.headers.get('location') ?? ''
  await withoutUsage(async () => {
    const { status, text } = await visitor.get(created)
    expect(status).toBe(200)
    expect(text).toMatch(/sdx_\w{20}/)
    expect(text).toContain(UNREADABLE)
  })
})
