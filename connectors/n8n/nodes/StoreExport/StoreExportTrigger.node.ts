// Defines the node Store Export Trigger, which starts a workflow with the rows that changed since the last poll.

import {
  type IDataObject,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { CREDENTIAL, get, getPage } from './api.ts'
import { currentPosition, type Position, readChanges } from './changes.ts'
import { changedResourceProperty, resourceOf } from './properties.ts'

/** Number of rows that a test in the editor returns. */
const SAMPLE_ROWS = 10

/** What n8n stores with the workflow. */
type State = Partial<Position> & Partial<Source> & { readonly resource?: string }

/** The store of a position. */
interface Source {
  readonly store: string
  /** The URL, and the parts of the key that the dashboard shows. The store is requested again if they change. */
  readonly connection: string
}

export class StoreExportTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Store Export Trigger',
    name: 'storeExportTrigger',
    icon: { light: 'file:../../icons/storeExport.svg', dark: 'file:../../icons/storeExport.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["resource"]}}',
    description: 'Start the workflow with the rows that changed since the last poll',
    defaults: { name: 'Store Export Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'storeExportApi', required: true }],
    properties: [
      changedResourceProperty(),
      {
        displayName: 'Include Existing Rows',
        name: 'includeExisting',
        type: 'boolean',
        default: false,
        description: 'Whether the first poll returns all rows of the store, and not only later changes',
      },
    ],
  }

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    const { value, listPath } = resourceOf(this.getNodeParameter('resource'))
    const path = listPath ?? ''
    // A test in the editor shows the oldest rows and leaves the position as it is.
    if (this.getMode() === 'manual') return toOutput((await getPage(this, path, { limit: SAMPLE_ROWS })).rows)
    const state = this.getWorkflowStaticData('node') as State
    const source = await sourceOf(this, state)
    const saved = state.resource === value && state.store === source.store ? savedPosition(state) : null
    const current = saved ?? (await currentPosition(this, path))
    if (saved === null && this.getNodeParameter('includeExisting') === false) {
      Object.assign(state, { resource: value, ...source, ...current })
      return null
    }
    const { rows, next } = await readChanges(this, path, saved ?? { ...current, since: '' })
    Object.assign(state, { resource: value, ...source, ...next })
    return toOutput(rows)
  }
}

async function sourceOf(context: IPollFunctions, state: State): Promise<Source> {
  const { url, apiKey } = await context.getCredentials<{ url: string; apiKey: string }>(CREDENTIAL)
  const connection = `${url} ${apiKey.slice(0, 12)}…${apiKey.slice(-4)}`
  if (state.store !== undefined && state.connection === connection) return { store: state.store, connection }
  const { body } = await get(context, '/api/v1/store')
  return { store: String((body.data as IDataObject).id), connection }
}

function savedPosition({ parameter, since, cursor }: State): Position | null {
  return parameter === undefined || since === undefined ? null : { parameter, since, cursor: cursor ?? '' }
}

function toOutput(rows: readonly IDataObject[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [rows.map((json) => ({ json }))]
}
