// What the demo keeps in its data folder besides the databases: the secret that seals passwords, and the keys and the
// sign-in that it shows.
// Both are readable by their owner only and replaced in one step, so that a kill never leaves half a file.

import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RandomBytes, SealingKeys, Secret } from '@store-export/control'
import { explainWriteErrors } from '../embedded/embedded-postgres-error.ts'
import { loadSecrets } from '../load-secrets.ts'

/** The demo's folder, relative to the current one. */
export const DATA_FOLDER = '.data'

/** Name of the demo's control database. */
export const CONTROL_DATABASE = 'store_export_control'

/** A key that the demo made and may show again. */
export interface DemoKey {
  readonly id: string
  readonly key: string
}

/** The sign-in of the demo's merchant, and where it is typed. */
export interface StoredSignIn {
  /** Address of the dashboard when it ran last. */
  readonly url: string
  readonly email: string
  readonly password: string
}

/** The demo's keys by the id of their store. */
export type DemoKeys = ReadonlyMap<string, DemoKey>

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

/** The demo's sealing keys; `previous` is the one that a rotation replaces. Throws `InvalidSettingError`. */
export function loadDemoSecrets(dataFolder: string, previous: Secret | null = null): SealingKeys {
  const file = path.join(dataFolder, 'secret')
  return loadSecrets({ secret: null, secretFile: file, secretPrevious: previous }, (name) => readFileSync(name, 'utf8'))
}

/** Makes the secret when there is none. */
export async function ensureDemoSecret(dataFolder: string, random: RandomBytes): Promise<void> {
  const file = path.join(dataFolder, 'secret')
  const next = `${file}.${process.pid}`
  await write(next, `${random(SECRET_BYTES).toString('base64')}\n`)
  try {
    // unlike a rename, a link leaves a file that is already there
    await link(next, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(next, { force: true })
  }
}

/** The keys that earlier runs made; none when the file is missing or is no such file. */
export async function readKeys(dataFolder: string): Promise<DemoKeys> {
  const { keys } = await readKept(dataFolder)
  if (typeof keys !== 'object' || keys === null) return new Map()
  return new Map(Object.entries(keys).flatMap(([storeId, kept]) => (isKept(kept) ? [[storeId, kept]] : [])))
}

/** The sign-in that earlier runs made; null when there is none. */
export async function readSignIn(dataFolder: string): Promise<StoredSignIn | null> {
  const { dashboard } = await readKept(dataFolder)
  return isKeptSignIn(dashboard) ? dashboard : null
}

/** Keeps the keys for the next start. */
export async function storeKeys(dataFolder: string, keys: DemoKeys): Promise<void> {
  await keep(dataFolder, { keys: Object.fromEntries(keys) })
}

/** Keeps the sign-in for the next start. */
export async function storeSignIn(dataFolder: string, dashboard: StoredSignIn): Promise<void> {
  await keep(dataFolder, { dashboard })
}

/** What is kept; nothing when the file is missing or is no such file. */
async function readKept(dataFolder: string): Promise<{ readonly keys?: unknown; readonly dashboard?: unknown }> {
  const text = await readFile(keptFile(dataFolder), 'utf8').catch(() => '{}')
  try {
    const kept: unknown = JSON.parse(text)
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}

async function keep(dataFolder: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  const next = `${keptFile(dataFolder)}.${process.pid}`
  await write(next, `${JSON.stringify({ ...(await readKept(dataFolder)), ...change }, null, 2)}\n`)
  await rename(next, keptFile(dataFolder))
}

/** A full or read-only disk is a sentence. */
async function write(file: string, text: string): Promise<void> {
  await explainWriteErrors(path.dirname(file), () => writeFile(file, text, { mode: OWNER_ONLY }))
}

function keptFile(dataFolder: string): string {
  return path.join(dataFolder, 'demo.json')
}

function isKeptSignIn(value: unknown): value is StoredSignIn {
  const kept = value as Partial<Record<keyof StoredSignIn, unknown>> | null | undefined
  return [kept?.url, kept?.email, kept?.password].every((each) => typeof each === 'string')
}

function isKept(value: unknown): value is DemoKey {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('key' in value)) return false
  return typeof value.id === 'string' && typeof value.key === 'string'
}
