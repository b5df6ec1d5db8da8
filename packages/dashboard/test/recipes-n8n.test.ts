// Tests the n8n workflow without n8n: a small interpreter runs its nodes by n8n's rules, against the service.

import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { recipesFor } from '../src/recipes/recipes.ts'
import { type BusyProxy, type ProxyError, startBusyProxy } from './support/busy-proxy.ts'

/** Time until a change is in a window, with a margin. */
const WINDOW = { timeout: 10_000, interval: 100 }
const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }

interface Node {
  readonly name: string
  readonly type: string
  readonly position: readonly [number, number]
  // biome-ignore lint/suspicious/noExplicitAny: each type of node has its own parameters
  readonly parameters: any
}

interface Workflow {
  readonly nodes: readonly Node[]
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>
}

// biome-ignore lint/suspicious/noExplicitAny: the previous node determines the shape of an item
type Item = any

let platform: TestPlatform
let store: TestStore
let proxy: BusyProxy

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, SIZE)
})
beforeEach(() => () => proxy.close())
afterAll(() => platform.close())

const workflowAt = (url: string): Workflow => JSON.parse(recipesFor(url).find(({ id }) => id === 'n8n')?.code ?? '')

/** Evaluates an n8n expression, `={{ ... }}`. */
function evaluated(expression: string, $json: Item): unknown {
  const inner = /^=\{\{(.*)\}\}$/s.exec(expression)?.[1]
  return inner === undefined ? expression : new Function('$json', `return (${inner})`)($json)
}

/** One execution of the workflow. `state` is its static data, which n8n stores between executions. */
class Execution {
  readonly processed: string[] = []
  readonly waits: number[] = []
  readonly #workflow: Workflow
  readonly #state: object
  readonly #onItem: (id: string) => void

  constructor(workflow: Workflow, state: object, onItem: (id: string) => void = () => undefined) {
    this.#workflow = workflow
    this.#state = state
    this.#onItem = onItem
  }

  async run(): Promise<void> {
    await this.#enter('Every hour', [{}])
  }

  /** Runs a node and its branches. Each branch runs to its end before the next one, from the top of the canvas. */
  async #enter(name: string, items: readonly Item[]): Promise<void> {
    const node = this.#workflow.nodes.find((each) => each.name === name)
    if (node === undefined) throw new Error(`no node ${name}`)
    const outputs = await this.#outputsOf(node, items)
    for (const [at, output] of outputs.entries()) {
      if (output.length === 0) continue
      const next = (this.#workflow.connections[name]?.main[at] ?? []).map((each) => each.node)
      const top = (each: string) => this.#workflow.nodes.find((other) => other.name === each)?.position[1] ?? 0
      for (const each of next.toSorted((one, other) => top(one) - top(other))) await this.#enter(each, output)
    }
  }

  async #outputsOf({ type, parameters }: Node, items: readonly Item[]): Promise<readonly (readonly Item[])[]> {
    switch (type.replace('n8n-nodes-base.', '')) {
      case 'scheduleTrigger':
        return [items]
      case 'code':
        return [this.#code(parameters.jsCode, items)]
      case 'httpRequest':
        return [[await responseTo(String(evaluated(parameters.url, items.at(-1))))]]
      case 'if': {
        const [condition] = parameters.conditions.conditions
        const isTrue = items.map((item) => evaluated(condition.leftValue, item) === condition.rightValue)
        return [items.filter((_, at) => isTrue[at]), items.filter((_, at) => !isTrue[at])]
      }
      case 'splitOut': {
        const names: string[] = parameters.fieldToSplitOut.split('.')
        return [items.flatMap((item) => names.reduce((value, name) => value[name], item))]
      }
      case 'noOp':
        for (const { id } of items) {
          this.#onItem(id)
          this.processed.push(id)
        }
        return [items]
      case 'wait':
        this.waits.push(Number(evaluated(parameters.amount, items.at(-1))))
        return [items]
      default:
        throw new Error(`this test can't run nodes of type ${type}`)
    }
  }

  #code(text: string, items: readonly Item[]): readonly Item[] {
    const $input = { last: () => ({ json: items.at(-1) }) }
    const made: { readonly json: Item }[] = new Function('$getWorkflowStaticData', '$input', text)(
      () => this.#state,
      $input,
    )
    return made.map(({ json }) => json)
  }
}

/** Runs an HTTP Request node that returns the full response, ignores error statuses, and continues after a failure. */
async function responseTo(url: string): Promise<Item> {
  try {
    const response = await fetch(url, { headers: { 'x-api-key': store.key } })
    return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.json() }
  } catch (error) {
    return { error: { message: String(error) } }
  }
}

async function storedIds(): Promise<string[]> {
  const rows = await store.sql`select id from orders order by created_at, id`
  return rows.map(({ id }) => String(id))
}

async function workflowThroughProxy(errors: ReadonlyMap<number, ProxyError>): Promise<Workflow> {
  proxy = await startBusyProxy(platform.service.url, errors)
  return workflowAt(proxy.url)
}

describe('the recipe for n8n', () => {
  test('the n8n workflow reads the API key from a credential, not from a node, and all nodes are connected', async () => {
    const { nodes, connections } = await workflowThroughProxy(new Map())
    expect(nodes.find(({ name }) => name === 'Get a page')?.parameters).toMatchObject({
      authentication: 'genericCredentialType',
      genericAuthType: 'httpHeaderAuth',
      options: { response: { response: { fullResponse: true, neverError: true } } },
    })
    expect(JSON.stringify(nodes)).not.toContain('x-api-key')
    const reached = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node))
    expect(new Set([...reached, 'Every hour'])).toEqual(new Set(nodes.map(({ name }) => name)))
  })

  test('[PAG-3, SYNC-2] the first run of the n8n workflow processes each order once, and the next run requests only orders changed since then', async () => {
    const workflow = await workflowThroughProxy(new Map())
    const state: { since?: string; cursor?: string } = {}
    const first = new Execution(workflow, state)
    await first.run()
    expect(first.processed).toEqual(await storedIds())
    const { since } = state
    expect([since, state.cursor]).toEqual([expect.stringMatching(/^20.*Z$/), ''])
    const [id] = first.processed
    await store.sql`update orders set tracking_number = 'n8n' where id = ${id ?? ''}`
    // A window ends a second before its first request, so an earlier run doesn't have the change.
    const second = await vi.waitFor(async () => {
      const execution = new Execution(workflow, { ...state })
      await execution.run()
      expect(execution.processed).toContain(id)
      return execution
    }, WINDOW)
    expect(second.processed.length).toBeLessThan(SIZE.orders)
    const query = proxy.seen.at(-1)?.query
    expect([query?.get('updated_since'), query?.get('updated_until')]).toEqual([since, 'now'])
  })

  test('[LIM-1] if an error response has Retry-After, the n8n workflow waits that long and still processes each order once', async () => {
    const workflow = await workflowThroughProxy(
      new Map([
        [0, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '60' } }],
        [1, { status: 502, code: 'STORE_DB_ERROR' }],
        [3, { status: 409, code: 'STORE_NOT_READY', headers: { 'Retry-After': '30' } }],
      ]),
    )
    const execution = new Execution(workflow, {})
    await execution.run()
    expect(execution.waits).toEqual([60, 2, 30])
    expect(execution.processed).toEqual(await storedIds())
  })

  test('[SYNC-3] if a run of the n8n workflow fails while processing a page of orders, the next run starts with this page', async () => {
    const workflow = await workflowThroughProxy(new Map())
    const state = {}
    let count = 0
    const failing = new Execution(workflow, state, () => {
      count += 1
      if (count === 300) throw new Error('the tool failed')
    })
    await expect(failing.run()).rejects.toThrow('the tool failed')
    const rest = new Execution(workflow, state)
    await rest.run()
    const ids = await storedIds()
    expect(rest.processed).toEqual(ids.slice(250))
  })

  test('if the key is invalid or the connection is refused, the n8n workflow stops with an error that names the cause', async () => {
    const workflow = await workflowThroughProxy(new Map([[0, { status: 401, code: 'INVALID_API_KEY' }]]))
    await expect(new Execution(workflow, {}).run()).rejects.toThrow(/^status 401: .*INVALID_API_KEY/)
    await proxy.close()
    const refused = new Execution(workflow, {})
    await expect(refused.run()).rejects.toThrow(/^no response: /)
    expect(refused.waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  })
})
