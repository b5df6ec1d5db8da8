// The node Store Export, which reads rows and finds deleted rows.

import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow'
import { get, getRows, type Query, ROWS_PER_PAGE } from './api.ts'
import { actionProperties, resourceOf } from './properties.ts'
import type { StoreResource } from './resource.ts'
import { timestampOf } from './timestamp.ts'

export class StoreExport implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Store Export',
    name: 'storeExport',
    icon: { light: 'file:../../icons/storeExport.svg', dark: 'file:../../icons/storeExport.dark.svg' },
    group: ['input'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Read the orders, customers, and products of a store',
    defaults: { name: 'Store Export' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'storeExportApi', required: true }],
    properties: actionProperties(),
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData()
    const resource = resourceOf(this.getNodeParameter('resource', 0))
    const operation = this.getNodeParameter('operation', 0)
    if (operation === 'findDeleted') return [await findDeleted(this, resource, items)]
    const output: INodeExecutionData[] = []
    for (const index of items.keys()) {
      try {
        const rows = operation === 'get' ? [await getRow(this, resource, index)] : await getMany(this, resource, index)
        output.push(...rows.map((json) => ({ json, pairedItem: { item: index } })))
      } catch (error) {
        if (!this.continueOnFail()) throw withItem(this, error, index)
        output.push({ json: { error: (error as Error).message }, pairedItem: { item: index } })
      }
    }
    return [output]
  }
}

async function getRow(context: IExecuteFunctions, resource: StoreResource, index: number): Promise<IDataObject> {
  const path = resource.onePath ?? ''
  const id = path.includes('{id}') ? String(context.getNodeParameter('id', index)) : ''
  const { body } = await get(context, path.replace('{id}', encodeURIComponent(id)))
  return body.data as IDataObject
}

function getMany(context: IExecuteFunctions, resource: StoreResource, index: number): Promise<IDataObject[]> {
  const isAll = context.getNodeParameter('returnAll', index) as boolean
  const maximum = isAll ? Number.POSITIVE_INFINITY : (context.getNodeParameter('limit', index) as number)
  const filters = resource.filters.length === 0 ? {} : (context.getNodeParameter('filters', index, {}) as IDataObject)
  const query: Query = { ...filtersOf(context, resource, filters), limit: Math.min(ROWS_PER_PAGE, maximum) }
  return getRows(context, resource.listPath ?? '', query, maximum)
}

function filtersOf(context: IExecuteFunctions, { filters }: StoreResource, values: IDataObject): Query {
  const given = filters.filter(({ name }) => values[name] !== undefined && values[name] !== '')
  const timeZone = context.getTimezone()
  return Object.fromEntries(
    given.map(({ name, kind }) => [
      name,
      kind === 'choice' ? String(values[name]) : timestampOf(values[name], timeZone),
    ]),
  )
}

/** Returns the items whose ID is not in the store. n8n has read the items before this node requests the list of IDs. */
async function findDeleted(
  context: IExecuteFunctions,
  { idsPath }: StoreResource,
  items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
  const ids = items.map(({ json }, index) => {
    const field = context.getNodeParameter('idField', index) as string
    const id = json[field]
    if (typeof id === 'string' && id !== '') return id
    const message = `ID Field: must name a field with an ID; the item has no "${field}"`
    throw new NodeOperationError(context.getNode(), message, { itemIndex: index })
  })
  const rows = await getRows(context, idsPath ?? '', {}, Number.POSITIVE_INFINITY)
  const present = new Set(rows.map(({ id }) => id))
  return items.flatMap((item, index) =>
    present.has(ids[index] ?? '') ? [] : [{ json: item.json, pairedItem: { item: index } }],
  )
}

function withItem(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
  if (error instanceof NodeApiError) {
    error.context.itemIndex = itemIndex
    return error
  }
  return new NodeOperationError(context.getNode(), error as Error, { itemIndex })
}
