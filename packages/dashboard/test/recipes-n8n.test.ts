import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/demo.ts'
import { recipesFor } from '../src/recipes/recipes.ts'

const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }

interface Workflow {
  readonly nodes: readonly {
    readonly name: string
    readonly type: string
    readonly credentials?: unknown
    // biome-ignore lint/suspicious/noExplicitAny: each kind of node has parameters of its own
    readonly parameters: any
  }[]
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>
}

let platform: TestPlatform
let store: TestStore
let workflow: Workflow

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, 'v1.6', SIZE)
  workflow = JSON.parse(recipesFor(platform.service.url).find(({ id }) => id === 'n8n')?.code ?? '')
})
afterAll(() => platform.close())

/** The value of an expression as n8n writes them, `={{ ... }}`. */
function evaluated(expression: string, names: Record<string, unknown>): unknown {
  const inner = /^=\{\{(.*)\}\}$/s.exec(expression)?.[1]
  if (inner === undefined) return expression
  return new Function(...Object.keys(names), `return (${inner})`)(...Object.values(names))
}

function parametersOf(name: string) {
  const found = workflow.nodes.find((node) => node.name === name)
  if (found === undefined) throw new Error(`no node ${name}`)
  return found.parameters
}

/** Runs the code of a Code node with the workflow's static data, and its other nodes' first items. */
function runCode(name: string, state: object, items: Record<string, unknown> = {}) {
  const $ = (node: string) => ({ first: () => ({ json: items[node] }) })
  return new Function('$getWorkflowStaticData', '$', parametersOf(name).jsCode)(() => state, $)
}

/** Follows the pages as n8n does: expressions see an empty response at first, then the last one. */
async function walk(since: string): Promise<string[]> {
  const { queryParameters, options } = parametersOf('Changed orders')
  const { nextURL, completeExpression } = options.pagination.pagination
  const ids: string[] = []
  for (let response: { body?: { data: { id: string }[] } } = {}; ; ) {
    const url = new URL(String(evaluated(nextURL, { $response: response })))
    for (const { name, value } of queryParameters.parameters)
      url.searchParams.append(name, String(evaluated(value, { $json: { since } })))
    const { status, json } = await platform.get(url.pathname + url.search, store.key)
    expect(status).toBe(200)
    response = { body: json }
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    if (evaluated(completeExpression, { $response: response })) return ids
  }
}

describe('the workflow for n8n', () => {
  test('is one chain of nodes, with the key in a credential and nowhere else', () => {
    const { nodes, connections } = workflow
    const chain = nodes.map(({ name }) => name)
    expect(nodes.map(({ type }) => type.replace('n8n-nodes-base.', ''))).toEqual([
      'scheduleTrigger',
      'code',
      'httpRequest',
      'splitOut',
      'noOp',
      'code',
    ])
    for (const [at, name] of chain.slice(0, -1).entries())
      expect(connections[name]?.main[0]).toEqual([{ node: chain[at + 1], type: 'main', index: 0 }])
    expect(parametersOf('Changed orders')).toMatchObject({
      authentication: 'genericCredentialType',
      genericAuthType: 'httpHeaderAuth',
    })
    expect(JSON.stringify(nodes)).not.toContain('x-api-key')
    expect(parametersOf('One item an order').fieldToSplitOut).toBe('data')
  })

  test('[PAG-2, PAG-3] follows the cursor to the last page and hands on every order once', async () => {
    const rows = await store.sql`select id from orders order by created_at, id`
    expect(await walk('1970-01-01T00:00:00.000Z')).toEqual(rows.map(({ id }) => id))
    expect(await walk('2100-01-01T00:00:00.000Z')).toEqual([])
  })

  test('an error is no last page', () => {
    const { completeExpression, requestInterval } = parametersOf('Changed orders').options.pagination.pagination
    for (const body of [{ error: { code: 'RATE_LIMITED', message: 'wait' } }, '', undefined])
      expect(evaluated(completeExpression, { $response: { body } })).toBe(false)
    expect(60_000 / requestInterval).toBeLessThan(120)
  })

  test('[SYNC-3] goes on from where the last run that ended well began, less five minutes', () => {
    const state: { since?: string } = {}
    const [{ json: first }] = runCode('Since', state)
    expect(first.since).toBe('1970-01-01T00:00:00.000Z')
    expect(Date.now() - Date.parse(first.next)).toBeGreaterThanOrEqual(5 * 60_000)
    expect(state).toEqual({})
    runCode('Remember', state, { Since: first })
    expect(runCode('Since', state)[0].json.since).toBe(first.next)
  })
})
