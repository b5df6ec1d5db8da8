// Reads the public keys of secret scanners from a file, in the format of
// https://api.github.com/meta/public_keys/secret_scanning. A scheduled job refreshes the file. Before each report, the
// node compares the file's time, size, and inode, and reads the file again if they differ. So no timer, signal, or
// restart is needed.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { InvalidSettingError } from './config.ts'
import type { EventHandler } from './events.ts'
import { codeOf } from './explain-error.ts'

const SETTING = 'STORE_EXPORT_LEAK_REPORT_KEYS_FILE'
const FETCH = 'fetch it from https://api.github.com/meta/public_keys/secret_scanning'

/** The public keys in the file. */
export interface ReportKeys {
  /** Returns the key with this identifier; null if the file doesn't have it. */
  find(identifier: string): Promise<KeyObject | null>
}

/**
 * Reads the file now, and again when it has changed. If a later file can't be read or is invalid, the earlier keys stay
 * valid, and an event reports it once. Throws `InvalidSettingError` if the first file can't be read or is invalid.
 */
export function readReportKeys(path: string, emit: EventHandler): ReportKeys {
  // The file's state is read before its content. If the file changes in between, the next report reads it again.
  let { state, keys } = {
    state: stateOf(read(path, (file) => statSync(file))),
    keys: parseReportKeys(read(path, readText)),
  }
  return {
    async find(identifier) {
      const current = await stat(path).then(stateOf, (error: unknown) => codeOf(error) ?? 'unreadable')
      if (current !== state) {
        state = current
        try {
          keys = parseReportKeys(read(path, readText))
        } catch (error) {
          const message = `${error instanceof Error ? error.message : String(error)}; the earlier public keys stay valid`
          emit({ event: 'warning.raised', message })
        }
      }
      return keys.get(identifier) ?? null
    },
  }
}

/**
 * Returns the P-256 keys by their identifier, also those that are not current, because they sign reports too. Ignores
 * keys of other kinds. Throws `InvalidSettingError` if the text has no P-256 key.
 */
export function parseReportKeys(text: string): ReadonlyMap<string, KeyObject> {
  const keys = new Map<string, KeyObject>()
  for (const entry of entriesOf(text)) {
    const { key_identifier: identifier, key } = Object(entry) as Readonly<Record<string, unknown>>
    const publicKey = typeof key === 'string' ? publicKeyOf(key) : null
    if (typeof identifier === 'string' && identifier !== '' && publicKey !== null) keys.set(identifier, publicKey)
  }
  if (keys.size > 0) return keys
  throw new InvalidSettingError(SETTING, `must be a file with at least one ECDSA P-256 key in public_keys; ${FETCH}`)
}

function entriesOf(text: string): readonly unknown[] {
  try {
    const { public_keys: entries } = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>
    return Array.isArray(entries) ? entries : []
  } catch (cause) {
    throw new InvalidSettingError(SETTING, `must be a JSON file; ${FETCH}`, { cause })
  }
}

function publicKeyOf(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    // The text is not a public key.
    return null
  }
}

const readText = (path: string) => readFileSync(path, 'utf8')

/** Returns what `work` returns for the file. Throws `InvalidSettingError` if the file can't be read. */
function read<T>(path: string, work: (path: string) => T): T {
  try {
    return work(path)
  } catch (cause) {
    const message = `cannot read ${JSON.stringify(path)} (${codeOf(cause) ?? 'unreadable'}); check the path and its permissions`
    throw new InvalidSettingError(SETTING, message, { cause })
  }
}

function stateOf({ mtimeMs, size, ino }: Stats): string {
  return [mtimeMs, size, ino].join(' ')
}
