// Checks the operations and errors of the n8n nodes that the runs under load do not have.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import type { DemoStore } from './demo-store.ts'
import { type Fault, withFaultProxy } from './fault-proxy.ts'
import { action, filesOf, local, runSteps, START, type Step, type StepResult, trigger } from './n8n-engine.ts'
import { withWorkFolder } from './python-tool.ts'
import { withRetryProxy } from './retry-proxy.ts'
import { addSecondStore } from './second-store.ts'

type Connection = Pick<DemoStore, 'url' | 'key'>

/** An ID that no store has. */
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000001'
const WRONG_KEY = 'sdx_wrong'
/** Each combination of settings with which n8n continues after an error. */
const CONTINUED = [
  { onError: 'continueRegularOutput' },
  { onError: 'continueErrorOutput' },
  { continueOnFail: true },
  { continueOnFail: true, onError: 'stopWorkflow' },
]
const STOPPED = [{}, { onError: 'stopWorkflow' }]

/** Checks the nodes with a store that no other test writes to. */
export async function checkNodes(store: DemoStore): Promise<void> {
  const second = { url: store.url, key: await addSecondStore(store) }
  const checks = [checkOperations, checkDeleted, checkRedirect, checkOtherProgram, checkRetries]
  for (const check of checks) await check(store)
  await checkContinued(store, second)
  await checkFailedPoll(store)
  await checkChangedStore(store, second)
  await checkCredential(store)
}

async function checkOperations(store: Connection): Promise<void> {
  const many = action('order', 'getAll', { returnAll: false, limit: 3, filters: { created_until: 'now' } })
  const [listed] = await run(store, [{ id: 'list', nodes: [START, many] }])
  const rows = listed?.nodes['1']?.outputs[0]?.first ?? []
  assert.equal(rows.length, 3, `Get Many: ${JSON.stringify(listed)}`)
  const get = { id: 'get', nodes: [START, action('order', 'get', { id: rows[0]?.id })] }
  const [one] = await run(store, [get])
  assert.equal(one?.nodes['1']?.outputs[0]?.first[0]?.id, rows[0]?.id, `Get: ${JSON.stringify(one)}`)
  const [failed] = await run({ ...store, key: WRONG_KEY }, [get])
  assert.deepEqual([failed?.error?.name, failed?.error?.description], ['NodeApiError', 'INVALID_API_KEY'])
}

/** Checks that Find Deleted returns the rows that are missing from the store, and accepts IDs in upper case. */
async function checkDeleted(store: Connection): Promise<void> {
  const ids = (await idsOf(store, 'orders')).slice(0, 3)
  const [upper = '', ...rest] = ids
  const left = await deleteFrom(store, [upper.toUpperCase(), ...rest, UNKNOWN_ID], {})
  assert.deepEqual(left.copy, [upper.toUpperCase(), ...rest])
}

/** Checks that Find Deleted returns no item after an error, whatever the settings of the node. */
async function checkContinued(store: Connection, second: Connection): Promise<void> {
  const ids = (await idsOf(store, 'orders')).slice(0, 3)
  const locations = (await idsOf(store, 'locations')).slice(0, 3)
  const cases: [Connection, readonly string[], Readonly<Record<string, string>>, RegExp][] = [
    [second, ids, {}, /none of the 3 input IDs/],
    [second, locations, { resource: 'location' }, /none of the 3 input IDs/],
    [{ ...store, key: WRONG_KEY }, ids, {}, /x-api-key/],
    [store, ids, { idField: 'email' }, /"email" has undefined/],
    [store, ['17', ...ids], {}, /"id" has "17"/],
    [store, ids, { resource: 'unknown' }, /Resource: must be one of/],
  ]
  for (const [connection, input, parameters, error] of cases) {
    const { copy, results } = await deleteFrom(connection, input, parameters, [...STOPPED, ...CONTINUED])
    assert.deepEqual(copy, input, String(error))
    for (const { error: stopped } of results.slice(0, STOPPED.length)) assert.match(stopped?.message ?? '', error)
    for (const { nodes } of results.slice(STOPPED.length)) {
      assert.match(nodes['1']?.hints.join() ?? '', error)
      assert.equal(nodes['1']?.outputs[0]?.count, 0)
      assert.equal(nodes['2'], undefined)
    }
    const shown = results[STOPPED.length + 1]?.nodes['1']?.outputs[1]
    assert.match(String(shown?.first[0]?.error), error)
  }
}

/** Checks that the nodes never send the key to the target of a redirect. */
async function checkRedirect(store: Connection): Promise<void> {
  let received = 0
  const count = () => {
    received++
    return null
  }
  await withFaultProxy(store.url, count, async (target) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const redirect = (url: string) => ({ status, headers: { location: target + url }, body: '' })
      await withFaultProxy(store.url, redirect, async (url) => {
        const [got, credential] = await run({ ...store, url }, [GET_STORE, CREDENTIAL_TEST])
        assert.match(got?.error?.message ?? '', /redirects to http:.* Enter the address of the service/)
        assert.match(credential?.credential ?? '', /The URL redirects to another address/)
      })
    }
  })
  assert.equal(received, 0)
}

/** Checks that responses of other programs with status 200 are errors, and never an empty list. */
async function checkOtherProgram(store: Connection): Promise<void> {
  const list = { id: 'list', nodes: [START, action('order', 'getAll', { returnAll: true })] }
  for (const body of [
    '<p>Sign in</p>',
    '{"status":"ok"}',
    'null',
    '{"data":[]}',
    '{"data":{},"meta":{"next_cursor":null}}',
    '{"data":null}',
  ]) {
    await withFaultProxy(
      store.url,
      () => jsonFault(200, body),
      async (url) => {
        const [listed, credential] = await run({ ...store, url }, [list, CREDENTIAL_TEST])
        assert.match(listed?.error?.message ?? '', /is not from the export service/, body)
        assert.match(credential?.credential ?? '', /is not from the export service/, body)
      },
    )
  }
}

async function checkRetries(store: Connection): Promise<void> {
  const [got] = await withRetryProxy(store.url, (url) => run({ ...store, url }, [GET_STORE]), [429, 503])
  assert.equal(got?.nodes['1']?.outputs[0]?.count, 1, JSON.stringify(got))
}

/** Checks that a failed poll does not advance the position, and that an invalid cursor restarts the list. */
async function checkFailedPoll(store: Connection): Promise<void> {
  await withWorkFolder(async (folder) => {
    const poll = [{ id: 'poll', nodes: [trigger('order', true)] }]
    const failLater = (url: string) =>
      url.includes('cursor=') ? jsonFault(500, '{"error":{"message":"broken"}}') : null
    for (const attempt of [1, 2]) {
      const [failed] = await withFaultProxy(store.url, failLater, (url) => runSteps({ ...store, url }, folder, poll))
      assert.equal(failed?.error?.message, 'broken', `attempt ${attempt}`)
    }
    const [all] = await runSteps(store, folder, poll)
    const count = all?.nodes['0']?.outputs[0]?.count ?? 0
    assert.equal(count, (await idsOf(store, 'orders')).length)
    assert.deepEqual(await runSteps(store, folder, poll), [{ nodes: {} }])
    await changeState(folder, { since: '', cursor: 'stale' })
    const [restarted] = await runSteps(store, folder, poll)
    assert.equal(restarted?.nodes['0']?.outputs[0]?.count, count)
  })
}

/**
 * Checks that the position of a store does not apply to another store, but applies to another key or URL of the same
 * store.
 */
async function checkChangedStore(store: Connection, second: Connection): Promise<void> {
  await withWorkFolder(async (folder) => {
    const poll = [{ id: 'poll', nodes: [trigger('product', true)] }]
    const countOf = async (connection: Connection) => {
      const [polled] = await runSteps(connection, folder, poll)
      assert.equal(polled?.error, undefined)
      return polled?.nodes['0']?.outputs[0]?.count ?? 0
    }
    assert.equal(await countOf(store), (await idsOf(store, 'products')).length)
    assert.equal(await countOf(second), (await idsOf(second, 'products')).length)
    assert.equal(await countOf(second), 0)
    let requests: string[] = []
    const record = (url: string) => {
      requests.push(url.replace(/\?.*/, ''))
      return null
    }
    await withFaultProxy(store.url, record, async (url) => {
      assert.equal(await countOf({ ...second, url }), 0)
      assert.deepEqual(requests, ['/api/v1/store', '/api/v1/products'])
      requests = []
      assert.equal(await countOf({ ...second, url }), 0)
      assert.deepEqual(requests, ['/api/v1/products'])
    })
  })
}

async function checkCredential(store: Connection): Promise<void> {
  const [good] = await run({ ...store, url: `${store.url}/` }, [CREDENTIAL_TEST])
  assert.equal(good?.credential, 'OK')
  const [bad] = await run({ ...store, key: WRONG_KEY }, [CREDENTIAL_TEST])
  assert.equal(bad?.credential, 'Unauthorized')
}

const GET_STORE: Step = { id: 'store', nodes: [START, action('store', 'get')] }
const CREDENTIAL_TEST: Step = { id: 'credential', nodes: [] }

function run(connection: Connection, steps: readonly Step[]): Promise<StepResult[]> {
  return withWorkFolder((folder) => runSteps(connection, folder, steps))
}

/** Runs the workflow that deletes rows of the copy once for each of `settings`, and returns the IDs that are left. */
async function deleteFrom(
  connection: Connection,
  ids: readonly string[],
  parameters: Readonly<Record<string, string>>,
  settings: readonly Readonly<Record<string, unknown>>[] = [{}],
): Promise<{ readonly copy: string[]; readonly results: StepResult[] }> {
  return withWorkFolder(async (folder) => {
    const { copyFile } = filesOf(folder)
    await writeFile(copyFile, JSON.stringify({ rows: Object.fromEntries(ids.map((id) => [id, { id }])) }))
    const find = action('order', 'findDeleted', { idField: 'id', ...parameters })
    const steps = settings.map((each, at) => ({
      id: `${at}`,
      nodes: [local('read', 'rows'), { ...find, settings: each }, local('delete', 'rows')],
    }))
    const results = await runSteps(connection, folder, steps)
    return { copy: Object.keys(JSON.parse(await readFile(copyFile, 'utf8')).rows), results }
  })
}

async function changeState(folder: string, values: Readonly<Record<string, string>>): Promise<void> {
  const { stateFile } = filesOf(folder)
  const state = JSON.parse(await readFile(stateFile, 'utf8'))
  for (const saved of Object.values<Record<string, object>>(state)) Object.assign(saved['node:0'] ?? {}, values)
  await writeFile(stateFile, JSON.stringify(state))
}

async function idsOf({ url, key }: Connection, list: string): Promise<string[]> {
  const response = await fetch(`${url}/api/v1/ids/${list}`, { headers: { 'x-api-key': key } })
  const { data } = (await response.json()) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

function jsonFault(status: number, body: string): Fault {
  return { status, headers: { 'content-type': 'application/json' }, body }
}
