// Finds the input items whose row the store no longer has.

import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow'
import { getRows } from './api.ts'
import type { StoreResource } from './resource.ts'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/**
 * Returns the items whose ID is not in the store. n8n has read the items before this node requests the list of IDs, so
 * a new row can't look deleted. Throws `NodeOperationError` if an ID is not a UUID, or the store has none of the IDs.
 */
export async function findDeleted(
  context: IExecuteFunctions,
  { idsPath }: StoreResource,
): Promise<INodeExecutionData[]> {
  const items = context.getInputData()
  const ids = items.map((item, index) => idOf(context, item, index))
  const rows = await getRows(context, idsPath ?? '', {}, Number.POSITIVE_INFINITY)
  const present = new Set(rows.map(({ id }) => id))
  const deleted = items.flatMap(({ json }, item) => (present.has(ids[item]) ? [] : [{ json, pairedItem: { item } }]))
  // A wrong key or a wrong field is more probable than a store without any of the rows, and it would empty the copy.
  if (items.length > 0 && deleted.length === items.length) {
    const message = `The store has none of the ${items.length} input IDs. Check that the key belongs to the store of your copy, and that ID Field names the ID of the row. If the store deleted all of these rows, delete them from your copy by hand.`
    throw new NodeOperationError(context.getNode(), message)
  }
  return deleted
}

/** Returns the ID in lower case, as the service writes IDs. */
function idOf(context: IExecuteFunctions, { json }: INodeExecutionData, itemIndex: number): string {
  const field = context.getNodeParameter('idField', itemIndex) as string
  const id = json[field]
  if (typeof id === 'string' && UUID.test(id)) return id.toLowerCase()
  const message = `ID Field: must name a field with the ID of the row, which is a UUID; "${field}" has ${JSON.stringify(id)}`
  throw new NodeOperationError(context.getNode(), message, { itemIndex })
}
