// Reads and writes the demo's files in its data folder: the secret that encrypts passwords, and the keys and the
// sign-in that the demo prints. Only the owner can read the files. They are replaced atomically, so that a killed
// process leaves no incomplete file.

import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EncryptionKeys, RandomBytes, Secret } from '@store-export/control'
import { explainWriteErrors } from '../embedded/embedded-postgres-error.ts'
import { loadSecrets } from '../load-secrets.ts'

/** The data folder of the demo, relative to the current folder. */
export const DATA_FOLDER = '.data'

/** Name of the demo's control database. */
export const CONTROL_DATABASE = 'store_export_control'

/** A key that the demo prints at each start. */
export interface DemoKey {
  readonly id: string
  readonly key: string
}

/** The sign-in of the demo's merchant. */
export interface StoredSignIn {
  /** Address of the dashboard at the last start of the demo. */
  readonly url: string
  readonly email: string
  readonly password: string
}

/** The keys of the demo by store ID. */
export type DemoKeys = ReadonlyMap<string, DemoKey>

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

/**
 * Returns the encryption keys of the demo. `previous` is the secret that a rotation replaces. Throws
 * `InvalidSettingError` if the file with the secret is missing, or if a secret is invalid.
 */
export function loadDemoSecrets(dataFolder: string, previous: Secret | null = null): EncryptionKeys {
  const file = path.join(dataFolder, 'secret')
  return loadSecrets({ secret: null, secretFile: file, secretPrevious: previous }, (name) => readFileSync(name, 'utf8'))
}

/** Creates the secret if it does not exist. Rejects with `EmbeddedPostgresError` if the folder is not writable. */
export async function ensureDemoSecret(dataFolder: string, random: RandomBytes): Promise<void> {
  const file = path.join(dataFolder, 'secret')
  const next = `${file}.${process.pid}`
  await write(next, `${random(SECRET_BYTES).toString('base64')}\n`)
  try {
    // Unlike `rename`, `link` doesn't replace an existing file.
    await link(next, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(next, { force: true })
  }
}

/** Returns the keys of earlier starts; empty if the file is missing or invalid. */
export async function readKeys(dataFolder: string): Promise<DemoKeys> {
  const { keys } = await readState(dataFolder)
  if (typeof keys !== 'object' || keys === null) return new Map()
  return new Map(Object.entries(keys).flatMap(([storeId, key]) => (isKey(key) ? [[storeId, key]] : [])))
}

/** Returns the sign-in of earlier starts; null if the file is missing or invalid, or has none. */
export async function readSignIn(dataFolder: string): Promise<StoredSignIn | null> {
  const { dashboard } = await readState(dataFolder)
  return isSignIn(dashboard) ? dashboard : null
}

/** Stores the keys for the next start. Rejects with `EmbeddedPostgresError` if the folder is not writable. */
export async function storeKeys(dataFolder: string, keys: DemoKeys): Promise<void> {
  await updateState(dataFolder, { keys: Object.fromEntries(keys) })
}

/** Stores the sign-in for the next start. Rejects like `storeKeys`. */
export async function storeSignIn(dataFolder: string, dashboard: StoredSignIn): Promise<void> {
  await updateState(dataFolder, { dashboard })
}

/** Returns the content of the file; empty if the file is missing or invalid. */
async function readState(dataFolder: string): Promise<{ readonly keys?: unknown; readonly dashboard?: unknown }> {
  const text = await readFile(stateFile(dataFolder), 'utf8').catch(() => '{}')
  try {
    const state: unknown = JSON.parse(text)
    return typeof state === 'object' && state !== null ? state : {}
  } catch {
    return {}
  }
}

async function updateState(dataFolder: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  const next = `${stateFile(dataFolder)}.${process.pid}`
  await write(next, `${JSON.stringify({ ...(await readState(dataFolder)), ...change }, null, 2)}\n`)
  await rename(next, stateFile(dataFolder))
}

/** Writes a file. Rejects with `EmbeddedPostgresError` if the folder is not writable. */
async function write(file: string, text: string): Promise<void> {
  await explainWriteErrors(path.dirname(file), () => writeFile(file, text, { mode: OWNER_ONLY }))
}

function stateFile(dataFolder: string): string {
  return path.join(dataFolder, 'demo.json')
}

function isSignIn(value: unknown): value is StoredSignIn {
  const fields = value as Partial<Record<keyof StoredSignIn, unknown>> | null | undefined
  return [fields?.url, fields?.email, fields?.password].every((each) => typeof each === 'string')
}

function isKey(value: unknown): value is DemoKey {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('key' in value)) return false
  return typeof value.id === 'string' && typeof value.key === 'string'
}
