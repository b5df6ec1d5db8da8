// Derives the parameters of the nodes from the resources.

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'
import { RESOURCES } from '../../generated/resources.ts'
import type { StoreFilter, StoreResource } from './resource.ts'

export function actionProperties(): INodeProperties[] {
  return [
    resourceProperty(RESOURCES),
    ...RESOURCES.map(operationProperty),
    idProperty(),
    idFieldProperty(),
    ...pageProperties(),
    ...RESOURCES.filter(({ filters }) => filters.length > 0).map(filtersProperty),
  ]
}

/** Returns the parameter of the resources whose list can return only changed rows. */
export function changedResourceProperty(): INodeProperties {
  return resourceProperty(RESOURCES.filter(hasChanges))
}

/** Returns the resource with this name. Throws if there is none. */
export function resourceOf(value: unknown): StoreResource {
  const resource = RESOURCES.find((each) => each.value === value)
  if (resource === undefined)
    throw new Error(`Resource: must be one of ${RESOURCES.map((each) => each.value).join(', ')}; got ${value}`)
  return resource
}

function resourceProperty(resources: readonly StoreResource[]): INodeProperties {
  return {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: resources
      .map(({ name, value }) => ({ name, value }))
      .sort((one, other) => one.name.localeCompare(other.name)),
    default: resources.some(({ value }) => value === 'order') ? 'order' : (resources[0]?.value ?? ''),
  }
}

/** Whether a list can return only changed rows. */
function hasChanges({ filters }: StoreResource): boolean {
  return filters.some(({ name }) => name === 'updated_since')
}

function operationProperty(resource: StoreResource): INodeProperties {
  const options = operationsOf(resource)
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [resource.value] } },
    options,
    default: resource.listPath === null ? 'get' : 'getAll',
  }
}

function operationsOf({ name, plural, listPath, onePath, idsPath }: StoreResource): INodePropertyOptions[] {
  const one = name.toLowerCase()
  const article = /^[aeiou]/.test(one) ? 'an' : 'a'
  return [
    ...(idsPath === null
      ? []
      : [
          {
            name: 'Find Deleted',
            value: 'findDeleted',
            action: `Find deleted ${plural}`,
            description: `Return the input items whose ID the store no longer has`,
          },
        ]),
    ...(onePath === null
      ? []
      : [{ name: 'Get', value: 'get', action: `Get ${article} ${one}`, description: `Retrieve ${article} ${one}` }]),
    ...(listPath === null
      ? []
      : [
          {
            name: 'Get Many',
            value: 'getAll',
            action: `Get many ${plural}`,
            description: `Retrieve a list of ${plural}`,
          },
        ]),
  ]
}

function idProperty(): INodeProperties {
  const withId = RESOURCES.filter(({ onePath }) => onePath?.includes('{id}'))
  return {
    displayName: 'ID',
    name: 'id',
    type: 'string',
    default: '',
    required: true,
    displayOptions: { show: { resource: withId.map(({ value }) => value), operation: ['get'] } },
    description: 'The ID of the row',
  }
}

function idFieldProperty(): INodeProperties {
  return {
    displayName: 'ID Field',
    name: 'idField',
    type: 'string',
    default: 'id',
    required: true,
    displayOptions: { show: { operation: ['findDeleted'] } },
    description: 'The field of the input items that has the ID of the row. Read the input items from your copy.',
  }
}

function pageProperties(): INodeProperties[] {
  return [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      displayOptions: { show: { operation: ['getAll'] } },
      description: 'Whether to return all results or only up to a given limit',
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      displayOptions: { show: { operation: ['getAll'], returnAll: [false] } },
      description: 'Max number of results to return',
    },
  ]
}

function filtersProperty({ value, filters }: StoreResource): INodeProperties {
  return {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { resource: [value], operation: ['getAll'] } },
    options: filters.map(filterProperty).sort((one, other) => one.displayName.localeCompare(other.displayName)),
  }
}

function filterProperty({ name, description, kind, choices }: StoreFilter): INodeProperties {
  const common = { displayName: titleOf(name), name, description }
  switch (kind) {
    case 'time':
      return { ...common, type: 'dateTime', default: '' }
    case 'windowEnd':
      return { ...common, type: 'string', default: 'now', placeholder: 'now' }
    case 'choice':
      return {
        ...common,
        type: 'options',
        options: choices.map((value) => ({ name: titleOf(value), value })),
        default: choices[0] ?? '',
      }
  }
}

function titleOf(name: string): string {
  return name.replace(/(?:^|_)[a-z]/g, (text) => text.replace('_', ' ').toUpperCase())
}
