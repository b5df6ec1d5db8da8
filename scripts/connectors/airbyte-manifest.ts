// Generates the declarative manifest of the Airbyte connector.

import { type Field, fieldNote, fieldSince, idRow, type RowShape } from '@store-export/contract'
import { type YamlValue, yamlText } from '../yaml.ts'
import { type ConnectorTable, connectorTables, GENERATED } from './connector-tables.ts'

type YamlObject = { readonly [name: string]: YamlValue }

/** Version of Airbyte's Connector Development Kit (CDK), whose format the manifest has. */
const CDK_VERSION = '7.0.0'
const ROWS_PER_PAGE = 250
/** A time before every change of every store. */
const EARLIEST = '1970-01-01T00:00:00.000Z'
/** `%_ms` is Airbyte's directive for three digits of milliseconds. Python's `%f` would write six digits. */
const TIMESTAMP_FORMAT = '%Y-%m-%dT%H:%M:%S.%_msZ'
/** Option of the connector for stores that don't track the updates of their customers. */
const TRACKS_UPDATES = 'customer_updates'

/** Returns the manifest as YAML. */
export function airbyteManifest(): string {
  const tables = connectorTables()
  const manifest: YamlObject = {
    version: CDK_VERSION,
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: tables.slice(0, 1).map(({ table }) => table.name) },
    streams: tables.flatMap(streamsOf),
    spec: SPEC,
  }
  return `# ${GENERATED}\n${yamlText(manifest)}`
}

/** Returns a configured catalog of every stream as JSON, for a run without the Airbyte platform. */
export function airbyteCatalog(): string {
  const streams = connectorTables().flatMap(({ table: { name }, kind, idsPath }) => {
    const rows = configuredStream(name, kind === 'merge')
    return idsPath === null ? [rows] : [rows, configuredStream(`${name}_ids`, false)]
  })
  return `${JSON.stringify({ 'x-generated': GENERATED, streams }, null, 2)}\n`
}

function configuredStream(name: string, isIncremental: boolean): YamlObject {
  const mode = isIncremental ? 'incremental' : 'full_refresh'
  return {
    stream: { name, json_schema: {}, supported_sync_modes: [mode], source_defined_primary_key: [['id']] },
    sync_mode: mode,
    destination_sync_mode: isIncremental ? 'append_dedup' : 'overwrite',
    ...(isIncremental ? { cursor_field: ['updated_at'] } : {}),
    primary_key: [['id']],
  }
}

/**
 * Returns the streams of a table: its rows, and its IDs if it has a list of IDs. If a row is in the copy, but its ID is
 * not in the list, the store has deleted the row. Pages of IDs have a fixed size, so their stream sends no `limit`.
 */
function streamsOf(each: ConnectorTable): YamlObject[] {
  const { table, resource, path, kind, idsPath } = each
  const schema = schemaOf(resource)
  if (kind === 'object') return [stream(table.name, path, { schema })]
  const whole = { schema, limit: ROWS_PER_PAGE }
  if (kind === 'replace') return [stream(table.name, path, { ...whole, isList: true })]
  const ids = idsPath === null ? [] : [stream(`${table.name}_ids`, idsPath, { schema: schemaOf(idRow), isList: true })]
  const changes = stream(table.name, path, { ...whole, isList: true, isIncremental: true })
  if (isAlwaysTracked(each)) return [changes, ...ids]
  return [...eitherOf(changes, stream(table.name, path, { ...whole, isList: true })), ...ids]
}

/** Whether every schema version has the timestamp of the last update. */
function isAlwaysTracked({ resource }: ConnectorTable): boolean {
  const { updated_at: updatedAt } = resource.fields
  return updatedAt !== undefined && fieldSince(resource, updatedAt) === resource.since
}

/** Returns the stream for stores that track updates, and the one for stores that don't. */
function eitherOf(tracked: YamlObject, untracked: YamlObject): YamlObject[] {
  return [
    { type: 'ConditionalStreams', condition: `{{ config.get('${TRACKS_UPDATES}', true) }}`, streams: [tracked] },
    { type: 'ConditionalStreams', condition: `{{ not config.get('${TRACKS_UPDATES}', true) }}`, streams: [untracked] },
  ]
}

interface StreamOptions {
  readonly schema: YamlObject
  readonly isList?: boolean
  readonly isIncremental?: boolean
  readonly limit?: number
}

function stream(name: string, path: string, options: StreamOptions): YamlObject {
  const { schema, isList = false, isIncremental = false, limit } = options
  return {
    type: 'DeclarativeStream',
    name,
    primary_key: ['id'],
    retriever: {
      type: 'SimpleRetriever',
      requester: requester(path, isIncremental),
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
      ...(isList ? { paginator: paginator(limit) } : {}),
    },
    ...(isIncremental ? { incremental_sync: INCREMENTAL } : {}),
    schema_loader: { type: 'InlineSchemaLoader', schema },
  }
}

function requester(path: string, isIncremental: boolean): YamlObject {
  return {
    type: 'HttpRequester',
    url_base: "{{ config['url'].rstrip('/') }}",
    path,
    http_method: 'GET',
    authenticator: {
      type: 'ApiKeyAuthenticator',
      api_token: "{{ config['api_key'] }}",
      inject_into: { type: 'RequestOption', inject_into: 'header', field_name: 'x-api-key' },
    },
    // `updated_until=now` ends the list at its watermark. Otherwise, Airbyte would continue at the newest row, and miss
    // the rows of a transaction that commits late.
    ...(isIncremental ? { request_parameters: { updated_until: 'now' } } : {}),
    error_handler: ERROR_HANDLER,
  }
}

const ERROR_HANDLER: YamlObject = {
  type: 'DefaultErrorHandler',
  max_retries: 8,
  backoff_strategies: [
    { type: 'WaitTimeFromHeader', header: 'Retry-After' },
    { type: 'ExponentialBackoffStrategy', factor: 2 },
  ],
  response_filters: [
    // A service that is too old for a parameter ignores it, and returns other rows than requested. The sync fails
    // instead of copying these rows.
    {
      type: 'HttpResponseFilter',
      action: 'FAIL',
      predicate: "{{ 'x-ignored-params' in headers }}",
      error_message: "The service ignored the parameters {{ headers['x-ignored-params'] }}. Use a newer service.",
    },
    { type: 'HttpResponseFilter', action: 'RATE_LIMITED', http_codes: [429] },
    // 409 means that the platform is still creating the store's database.
    { type: 'HttpResponseFilter', action: 'RETRY', http_codes: [409, 502, 503, 504] },
    {
      type: 'HttpResponseFilter',
      action: 'FAIL',
      http_codes: [400, 401, 403, 404],
      error_message: "{{ response.get('error', {}).get('message', 'The service rejected the request.') }}",
    },
  ],
}

function paginator(limit: number | undefined): YamlObject {
  return {
    type: 'DefaultPaginator',
    page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'cursor' },
    ...(limit === undefined
      ? {}
      : { page_size_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'limit' } }),
    pagination_strategy: {
      type: 'CursorPagination',
      cursor_value: "{{ response['meta']['next_cursor'] }}",
      stop_condition: "{{ not response['meta']['has_more'] }}",
      ...(limit === undefined ? {} : { page_size: limit }),
    },
  }
}

const INCREMENTAL: YamlObject = {
  type: 'DatetimeBasedCursor',
  cursor_field: 'updated_at',
  datetime_format: TIMESTAMP_FORMAT,
  cursor_datetime_formats: [TIMESTAMP_FORMAT],
  start_datetime: { type: 'MinMaxDatetime', datetime: EARLIEST, datetime_format: TIMESTAMP_FORMAT },
  start_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'updated_since' },
}

function schemaOf({ fields }: RowShape): YamlObject {
  const properties = Object.entries(fields).map(([name, field]) => {
    const { type, ...rest } = typeSchema(field)
    return [name, { type: name === 'id' ? type : [type, 'null'], description: fieldNote(field), ...rest }] as const
  })
  return { type: 'object', additionalProperties: true, properties: Object.fromEntries(properties) }
}

function typeSchema({ type }: Field): YamlObject & { readonly type: string } {
  switch (type.kind) {
    case 'uuid':
      return { type: 'string', format: 'uuid' }
    case 'text':
    case 'oneOf':
    // Decimals stay strings: Airbyte would pass a number through a float.
    case 'money':
    case 'decimal':
      return { type: 'string' }
    case 'integer':
      return { type: 'integer' }
    case 'boolean':
      return { type: 'boolean' }
    case 'timestamp':
      return { type: 'string', format: 'date-time', airbyte_type: 'timestamp_with_timezone' }
    case 'texts':
      return { type: 'array', items: { type: 'string' } }
    case 'json':
      return type.shape.outer === 'array'
        ? { type: 'array', items: {} }
        : { type: 'object', additionalProperties: true }
    case 'counts':
      return { type: 'object', additionalProperties: true }
    case 'many':
      return { type: 'array', items: schemaOf(type.resource) }
  }
}

const SPEC: YamlObject = {
  type: 'Spec',
  connection_specification: {
    type: 'object',
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Store data export',
    required: ['url', 'api_key'],
    additionalProperties: true,
    properties: {
      url: {
        type: 'string',
        order: 0,
        title: 'Address of the service',
        examples: ['https://export.example.com'],
        pattern: '^https?://.+$',
      },
      api_key: {
        type: 'string',
        order: 1,
        title: 'API key',
        description: 'The key of the store, from Settings > API.',
        airbyte_secret: true,
      },
      [TRACKS_UPDATES]: {
        type: 'boolean',
        order: 2,
        title: 'The store tracks updates of customers',
        description: 'Turn this off for a store of the schema version launch. Each sync then reads all customers.',
        default: true,
      },
    },
  },
}
