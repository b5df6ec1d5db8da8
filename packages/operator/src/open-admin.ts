// Starts the admin API with separate connections to the control database.

import { randomBytes } from 'node:crypto'
import { type AdminOperations, createAdminApi } from '@store-export/admin'
import { openControlDatabase } from '@store-export/control'
import { readAdminTls } from './admin-tls.ts'
import type { ControlTarget } from './command-context.ts'
import type { Config } from './config.ts'
import { examineStore } from './doctor/examine-store.ts'
import { findingsOf, isHealthy } from './doctor/report.ts'
import type { EventHandler } from './events.ts'
import { explainError } from './explain-error.ts'
import { listen } from './listen.ts'
import { provision } from './operations/provision.ts'
import { createSignInLink } from './operations/sign-in-link.ts'
import { upgrade } from './operations/upgrade.ts'
import { UserError } from './user-error.ts'

/** A running admin API. */
export interface OpenAdmin {
  /** Address of the admin API, such as `http://127.0.0.1:9091`. */
  readonly url: string
  /**
   * Stops listening, waits until all requests in flight have ended or `drainMs` have passed, and aborts the rest. Then
   * closes the connections to the control database.
   */
  readonly stop: (drainMs: number) => Promise<void>
}

/** Number of connections to the control database. A batch uses eight, so other requests can use the rest meanwhile. */
const CONNECTIONS = 10
/** Time limit of a statement, in ms. */
const STATEMENT_TIMEOUT_MS = 30_000

/**
 * Starts the admin API on the port of the settings. Rejects with `UserError` if the port or the host is not available,
 * and with `InvalidSettingError` for wrong TLS files. After an error, closes its connections.
 */
export async function openAdmin(target: ControlTarget & { readonly emit: EventHandler }): Promise<OpenAdmin> {
  const { config, controlUrl, keys, emit } = target
  const { adminHost: host, adminPort: port, preparedStatements, keyPrefix } = config
  const tls = readAdminTls(config)
  const options = { poolSize: CONNECTIONS, preparedStatements, applicationName: 'store-export admin' }
  const database = openControlDatabase(controlUrl, { ...options, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  try {
    const registry = { database, keys, random: randomBytes }
    const { server, stop } = createAdminApi({ registry, operations: operationsOf(target), keyPrefix, emit, tls })
    const settings = { portSetting: 'STORE_EXPORT_ADMIN_PORT', hostSetting: 'STORE_EXPORT_ADMIN_HOST' }
    const url = await listen(server, { host, port, ...settings })
    // `listen` returns an http address for every server.
    const address = tls === null ? url : url.replace(/^http:/, 'https:')
    emit({ event: 'listener.opened', listener: 'admin', address })
    return { url: address, stop: (drainMs) => stop(drainMs).finally(() => database.close()) }
  } catch (error) {
    await database.close()
    throw error
  }
}

function operationsOf(target: ControlTarget): AdminOperations {
  const { config, keys } = target
  return {
    provision: (context, store) => provision({ ...target, ...context }, store),
    upgrade: (store, options) => upgrade(target, store, options),
    async examine(store) {
      // A scan of the values can take a minute, which is too long for a request.
      const report = await examineStore(store, { keys, config, scansValues: false })
      return { revision: report.revision, ok: isHealthy(report), findings: findingsOf(report.checks) }
    },
    createSignInLink: (context, link) =>
      createSignInLink({ ...target, ...context }, { ...link, url: dashboardUrlOf(config) }),
    // Says how the API responds to an error of an operation: it was refused, or the database of the store failed. Null
    // means an internal error.
    explain(error) {
      if (error instanceof UserError) return { kind: 'refused', message: error.message }
      const explanation = explainError(error)
      if (explanation?.code === 'database_unreachable') return { kind: 'unreachable', message: explanation.message }
      if (explanation?.code === 'database_error') return { kind: 'database', message: explanation.message }
      return null
    },
  }
}

/** Returns the origin of the public address in the settings; without one, the address on this machine. */
function dashboardUrlOf({ dashboardUrl, dashboardPort }: Config): string {
  return dashboardUrl === null ? `http://127.0.0.1:${dashboardPort}` : new URL(dashboardUrl).origin
}
