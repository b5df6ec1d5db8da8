// Defines the node Store Export, which reads rows and finds deleted rows.

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
import { findDeleted } from './find-deleted.ts'
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
    try {
      return [await run(this)]
    } catch (error) {
      return [withoutItems(this, error)]
    }
  }
}

async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const resource = resourceOf(context.getNodeParameter('resource', 0))
  const operation = context.getNodeParameter('operation', 0)
  if (operation === 'findDeleted') return findDeleted(context, resource)
  const output: INodeExecutionData[] = []
  for (const index of context.getInputData().keys()) {
    try {
      const rows =
        operation === 'get' ? [await getRow(context, resource, index)] : await getMany(context, resource, index)
      output.push(...rows.map((json) => ({ json, pairedItem: { item: index } })))
    } catch (error) {
      if (!context.continueOnFail()) throw withItem(context, error, index)
      output.push({ json: { error: (error as Error).message }, pairedItem: { item: index } })
    }
  }
  return output
}

/**
 * Throws the error again, unless the user's settings let n8n continue after an error. In that case, returns no items,
 * or the error as the only item of the error output. Otherwise, n8n would pass on all input items, and a node that
 * deletes the items of Find Deleted would empty the copy.
 */
function withoutItems(context: IExecuteFunctions, error: unknown): INodeExecutionData[] {
  const { onError, continueOnFail } = context.getNode()
  // n8n continues with either setting, although its function `continueOnFail` ignores the older one if both are
  // present.
  if (!context.continueOnFail() && continueOnFail !== true) throw error
  const { message } = error as Error
  context.addExecutionHints({ message: `The node failed and returned no items. ${message}`, type: 'danger' })
  return onError === 'continueErrorOutput' ? [{ json: { error: message } }] : []
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

function withItem(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
  if (error instanceof NodeApiError) {
    error.context.itemIndex = itemIndex
    return error
  }
  return new NodeOperationError(context.getNode(), error as Error, { itemIndex })
}
