// Starts the service on real databases for HTTP tests: a control database, stores at any schema version, keys, and the
// API on a free port.

import { randomBytes, randomUUID } from 'node:crypto'
import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { addStore, createKey, EncryptionKey } from '@store-export/control'
import type { Sql } from 'postgres'
import { inject } from 'vitest'
import { readConfig } from '../../packages/operator/src/config.ts'
import type { ServiceEvent } from '../../packages/operator/src/events.ts'
import { type RunningService, startService } from '../../packages/operator/src/service.ts'
import { dropStore } from '../../packages/operator/src/store-schema/drop-store.ts'
import { provisionStore } from '../../packages/operator/src/store-schema/provision-store.ts'
import { connectOnce, openClient, withConnection } from './client.ts'
import { createMigratedDatabase } from './databases.ts'
import { validateResponse } from './openapi.ts'
import { countRequest, provisionOnServer, releaseServer } from './server-store.ts'

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined if it isn't JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads responses as a client without types does
  readonly json: any
}

/** A store with a database and one key. */
export interface TestStore {
  readonly id: string
  readonly key: string
  readonly keyId: string
  /** Runs statements as the store's owner, on one connection. */
  readonly sql: Sql
  /** The owner's URL, with its password. */
  readonly ownerUrl: string
  /** The reader's URL, with its password. */
  readonly readerUrl: string
  /** URL of the store's database for statements that need a superuser. */
  readonly adminUrl: string
}

export interface TestPlatform {
  readonly service: RunningService
  readonly controlUrl: string
  readonly controlSql: Sql
  readonly encryptionKey: EncryptionKey
  readonly events: ServiceEvent[]
  /** Creates a store with the schema of `revision`. */
  provision(revision?: RevisionId): Promise<TestStore>
  newKey(storeId: string): Promise<{ id: string; key: string }>
  /** Sends a GET request, without a key if `key` is null. Throws if the response differs from the OpenAPI document. */
  get(path: string, key: string | null, headers?: Record<string, string>): Promise<TestResponse>
  close(): Promise<void>
}

/**
 * Starts a platform. `settings` are environment variables without their prefix, such as `PAGE_BYTES_MAX`. `dashboard`
 * also starts the merchant's dashboard.
 */
export async function startPlatform(
  settings: Record<string, string> = {},
  { dashboard = false }: { readonly dashboard?: boolean } = {},
): Promise<TestPlatform> {
  const control = await createMigratedDatabase()
  const encryptionKey = new EncryptionKey(randomBytes(32))
  const events: ServiceEvent[] = []
  const { config } = readConfig({
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_DASHBOARD_PORT: '0',
    STORE_EXPORT_REQUESTS_PER_MINUTE: '100000',
    ...pooledSettings(),
    ...prefixed(settings),
  })
  const service = await startService({
    config,
    controlUrl: control.url,
    keys: { current: encryptionKey, previous: null },
    emit(event) {
      events.push(event)
      if (event.event === 'request.completed') countRequest(event.storeId)
    },
    dashboard,
  })
  const controlSql = openClient(control.url, 2)
  const stores: TestStore[] = []
  const newKey = (storeId: string) => keyFor(service, storeId)
  return {
    service,
    controlUrl: control.url,
    controlSql,
    encryptionKey,
    events,
    newKey,
    async provision(revision = LATEST_REVISION) {
      const store = await provisionTestStore({ service, encryptionKey, revision })
      stores.push(store)
      return store
    },
    async get(path, key, headers) {
      const response = await get(service.url + path, key, headers)
      if (path.startsWith('/api/')) validateResponse({ path, status: response.status, json: response.json })
      return response
    },
    async close() {
      await service.close()
      await controlSql.end({ timeout: 1 })
      for (const { id, sql } of stores) {
        await sql.end({ timeout: 1 })
        if (!releaseServer(id)) await withConnection(inject('postgresUrl'), (admin) => dropStore(admin, id))
      }
      await control.drop()
    },
  }
}

/**
 * Returns the setting that decides whether the service sets limits on its sessions. It is off behind a pooler, as in a
 * nightly test. `npm run test:server` takes it from the environment.
 */
export function pooledSettings(): Record<string, string> {
  if (inject('poolerPort') !== undefined) return { STORE_EXPORT_STORE_SESSION_SETTINGS: 'off' }
  const setting = process.env.STORE_EXPORT_STORE_SESSION_SETTINGS
  return inject('storeServer') === undefined || setting === undefined
    ? {}
    : { STORE_EXPORT_STORE_SESSION_SETTINGS: setting }
}

function throughPooler(url: string): string {
  const port = inject('poolerPort')
  return port === undefined ? url : Object.assign(new URL(url), { port: String(port) }).href
}

/** Sends one GET request, without a key if `key` is null. */
export async function get(
  url: string,
  key: string | null,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const response = await fetch(url, { headers: key === null ? headers : { 'x-api-key': key, ...headers } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

interface ProvisionOptions {
  readonly service: RunningService
  readonly encryptionKey: EncryptionKey
  readonly revision: RevisionId
}

async function provisionTestStore({ service, encryptionKey, revision }: ProvisionOptions): Promise<TestStore> {
  const id = randomUUID()
  const name = `Store at ${revision}`
  const wanted = { storeId: id, name, revision }
  const onServer = await provisionOnServer(wanted)
  const urls =
    onServer ??
    (await provisionStore({ ...wanted, adminUrl: inject('postgresUrl'), random: randomBytes, connect: connectOnce }))
  await addStore(
    { database: service.control, keys: { current: encryptionKey, previous: null }, random: randomBytes },
    {
      id,
      name,
      origin: 'generated',
      state: 'ready',
      databaseUrl: onServer === null ? throughPooler(urls.readerUrl) : urls.readerUrl,
    },
  )
  const { id: keyId, key } = await keyFor(service, id)
  const { databaseUrl: ownerUrl, readerUrl } = urls
  const adminUrl = onServer === null ? adminUrlOf(ownerUrl) : ownerUrl
  return { id, key, keyId, sql: openClient(ownerUrl), ownerUrl, readerUrl, adminUrl }
}

/** Returns the superuser's URL of a store's database on the tests' PostgreSQL. */
function adminUrlOf(ownerUrl: string): string {
  return Object.assign(new URL(inject('postgresUrl')), { pathname: new URL(ownerUrl).pathname }).href
}

async function keyFor({ control }: RunningService, storeId: string): Promise<{ id: string; key: string }> {
  const { id, key } = await createKey({
    database: control,
    random: randomBytes,
    storeId,
    name: 'test',
    // No merchant created the key.
    createdBy: null,
  })
  return { id, key: key.reveal() }
}

function prefixed(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`STORE_EXPORT_${name}`, value]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
