// Turns the error of a failed read into a finding of `doctor`. Suggests a fix if it knows one. Reads nothing itself.

import { DecryptionError, type RegisteredStore } from '@store-export/control'
import { sessionSettings } from '@store-export/engine'
import { InvalidUrlError, parseConnectionUrl, TimeLimitPassed } from '@store-export/postgres'
import { codeOf, databaseErrorMessage, isUnreachable } from '../explain-error.ts'
import { redactAndCut } from '../redact.ts'
import { quoteName } from '../store-schema/sql-text.ts'
import type { DoctorFinding } from './report.ts'

/** Returns a finding for any error of reading a store. An unknown error becomes an internal error of the doctor. */
export function explainFailure(error: unknown, store: Pick<RegisteredStore, 'id' | 'databaseUrl'>): DoctorFinding {
  const setUrl = `store-export stores set ${store.id} --database-url -`
  if (error instanceof DecryptionError)
    return failure(
      'password_not_decryptable',
      error.message,
      `${setUrl} # only if your shell has the STORE_EXPORT_SECRET of the nodes`,
    )
  if (error instanceof InvalidUrlError) return failure('url_unusable', error.message, setUrl)
  if (error instanceof TimeLimitPassed) {
    return failure(
      'no_response',
      `the store database accepted the connection but did not respond: ${error.message}`,
      LIST_QUERIES,
    )
  }
  const message = messageOf(error)
  if (isSettingRefused(error)) {
    return failure(
      'startup_parameter_refused',
      `a pooler rejects a parameter of the connection URL: ${message}`,
      setUrl,
    )
  }
  // The code 42501 also stands for other missing grants, so the message decides.
  if (/permission denied for database/.test(message)) return failure('missing_grant', message, grantConnect(store))
  const code = codeOf(error)
  // 53300 is `too_many_connections`: of the server, or of the role.
  if (code === '53300' && /for role/.test(message)) return failure('unreachable', message, raiseRoleLimit(store))
  const databaseMessage = databaseErrorMessage(error)
  if (databaseMessage !== null) {
    // The class 53 means that the server has no connections, memory, or disk space left.
    const moved = `${setUrl} # only if the server has moved; otherwise, start the server`
    return isUnreachable(error)
      ? failure('unreachable', databaseMessage, code?.startsWith('53') ? LIST_SESSIONS : moved)
      : failure('connection_rejected', databaseMessage, setUrl)
  }
  // A code of five characters is an SQLSTATE of the server, so the connection works, and the query failed.
  if (code !== null && /^[0-9A-Z]{5}$/.test(code)) {
    return failure('not_examined', `cannot read the catalog of the store database: ${message} (${code})`, LIST_QUERIES)
  }
  return failure('doctor_failed', `internal error of the doctor; please report it: ${message}`, null)
}

/**
 * Whether a pooler rejected a setting of the session. It reports `protocol_violation` (08P01) for this and for other
 * errors, so the message decides.
 */
export function isSettingRefused(error: unknown): boolean {
  return codeOf(error) === '08P01' && /startup parameter/.test(messageOf(error))
}

/** Returns the finding for a pooler that rejects the session settings of the nodes. */
export function settingsRefused(error: unknown): DoctorFinding {
  const names = Object.keys(sessionSettings({ storeSessionSettings: true, storeTimeoutMs: 0 })).join(',')
  return failure(
    'startup_parameter_refused',
    `a pooler rejects the session settings of the nodes, so every request gets 502: ${messageOf(error)}`,
    `export STORE_EXPORT_STORE_SESSION_SETTINGS=off # on every node; or in pgbouncer.ini: ignore_startup_parameters = ${names}`,
  )
}

const LIST_QUERIES =
  'select pid, usename, state, wait_event_type, wait_event, query_start from pg_stat_activity where datname = current_database();'
const LIST_SESSIONS =
  'select usename, application_name, state, count(*) from pg_stat_activity group by 1, 2, 3 order by 4 desc;'
const MESSAGE_LENGTH_MAX = 400

function failure(code: string, message: string, fix: string | null): DoctorFinding {
  return { severity: 'error', code, message, fix }
}

/**
 * Returns the statement that raises the connection limit of a role that several stores share; null if the URL has no
 * user. 68 is 20 for each of two nodes, 20 for a third one during an upgrade, and 8 for `doctor`
 * (docs/operate/connect-stores.md).
 */
function raiseRoleLimit({ databaseUrl }: Pick<RegisteredStore, 'databaseUrl'>): string | null {
  const user = databaseUrl === null ? null : parseConnectionUrl(databaseUrl).user
  return user === null ? null : `alter role ${quoteName(user)} connection limit 68;`
}

/** Returns the statement that permits the connection; null if the URL doesn't name both the database and the user. */
function grantConnect({ databaseUrl }: Pick<RegisteredStore, 'databaseUrl'>): string | null {
  const target = databaseUrl === null ? null : parseConnectionUrl(databaseUrl)
  if (target === null || target.database === null || target.user === null) return null
  return `grant connect on database ${quoteName(target.database)} to ${quoteName(target.user)};`
}

function messageOf(error: unknown): string {
  return redactAndCut(error instanceof Error ? error.message : String(error), MESSAGE_LENGTH_MAX)
}
