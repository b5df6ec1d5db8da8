// Starts the admin API in this process on a control database of its own, and sends requests to it.

import { randomBytes, randomUUID } from 'node:crypto'
import {
  createAdminToken,
  EncryptionKey,
  type EncryptionKeys,
  openControlDatabase,
  type RegistryContext,
} from '@store-export/control'
import type { Sql } from 'postgres'
import { openClient } from '../../../../test/support/client.ts'
import { createMigratedDatabase } from '../../../../test/support/databases.ts'
import { readConfig } from '../../src/config.ts'
import type { ServiceEvent } from '../../src/events.ts'
import { openAdmin } from '../../src/open-admin.ts'
import { checkDescribed } from './admin-openapi.ts'
import { freePort } from './embedded-server.ts'

/** A response with its parsed body. */
export interface AdminResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types, as clients do
  readonly json: any
}

export interface AdminRequestOptions {
  readonly body?: unknown
  /** Text of a token; '' for none. By default, the token of the scene. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A running admin API. */
export interface AdminScene {
  readonly url: string
  readonly controlUrl: string
  readonly keys: EncryptionKeys
  readonly registry: RegistryContext
  readonly token: { readonly id: string; readonly text: string }
  readonly sql: Sql
  /** Events that the API emitted so far. */
  readonly events: readonly ServiceEvent[]
  /** Sends a request such as `POST /v1/stores`. A string and bytes are sent as they are, and any other body as JSON. */
  send(request: string, options?: AdminRequestOptions): Promise<AdminResponse>
  /** Sends lines to a batch, and parses the lines of the response. A string is a line as it is. */
  sendLines(
    path: string,
    lines: readonly unknown[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<AdminResponse & { readonly results: AdminResponse['json'][] }>
  createToken(name?: string): Promise<{ readonly id: string; readonly text: string }>
  /** Creates a store without a database, and returns its ID. */
  store(): Promise<string>
  /** Actions and actors of the audit table, oldest first. */
  audit(): Promise<{ readonly action: string; readonly actor: string }[]>
  /** Stops the API, and leaves the control database. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** The header of a request with lines. */
export const NDJSON = { 'content-type': 'application/x-ndjson' }

/** Starts the API. `settings` have no prefix, such as `ADMIN_TLS_CERT_FILE`. */
export async function startAdminScene(settings: Readonly<Record<string, string>> = {}): Promise<AdminScene> {
  const control = await createMigratedDatabase()
  const keys = { current: new EncryptionKey(randomBytes(32)), previous: null }
  const database = openControlDatabase(control.url, { poolSize: 2, applicationName: 'test' })
  const sql = openClient(control.url, 2)
  const port = await freePort()
  const all = { ADMIN_PORT: String(port), DASHBOARD_URL: 'https://dashboard.example.com', ...settings }
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [`STORE_EXPORT_${name}`, value]))
  const { config } = readConfig(env)
  const events: ServiceEvent[] = []
  const emit = (event: ServiceEvent) => void events.push(event)
  const admin = await openAdmin({ config, controlUrl: control.url, keys, emit })
  const createToken = async (name = 'backend') => {
    const { id, token } = await createAdminToken({ database, name, expiresAt: null, random: randomBytes })
    return { id, text: token.reveal() }
  }
  const token = await createToken()
  const send: AdminScene['send'] = (request, options = {}) =>
    sendTo(admin.url, request, { token: token.text, ...options })
  return {
    url: admin.url,
    controlUrl: control.url,
    keys,
    registry: { database, keys, random: randomBytes },
    token,
    sql,
    events,
    send,
    async sendLines(path, lines, headers = {}) {
      const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
      const sent = await send(`POST ${path}`, { body, headers: { ...NDJSON, ...headers } })
      const results = sent.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      return Object.assign(sent, { results })
    },
    createToken,
    async store() {
      const body = { name: 'Shop', state: 'generating', external_id: randomUUID() }
      return (await send('POST /v1/stores', { body })).json.id
    },
    audit: () => sql<{ action: string; actor: string }[]>`select action, actor from audit_events order by at, id`,
    stop: () => admin.stop(0),
    async close() {
      await admin.stop(0)
      await Promise.all([database.close(), sql.end({ timeout: 1 })])
      await control.drop()
    },
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

async function sendTo(url: string, request: string, options: AdminRequestOptions): Promise<AdminResponse> {
  const [method = '', path = ''] = request.split(' ')
  const { body, token, headers = {} } = options
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  checkDescribed({ method, path, status: response.status, contentType, text })
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}
