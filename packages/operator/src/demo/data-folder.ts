// What the demo keeps in its data folder besides the databases: the secret that seals passwords, and the keys it shows.
// Both are readable by their owner only and replaced in one step, so that a kill never leaves half a file.

import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { loadSecrets, type RandomBytes, type SealingKeys, type Secret } from '@store-export/engine'
import { orProblem } from '../embedded/problems.ts'

/** The demo's folder, relative to the current one. */
export const DATA_FOLDER = '.data'

/** Name of the demo's control database. */
export const CONTROL_DATABASE = 'store_export_control'

/** A key that the demo made and may show again. */
export interface KeptKey {
  readonly id: string
  readonly key: string
}

/** The demo's keys by the id of their store. */
export type KeptKeys = ReadonlyMap<string, KeptKey>

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

/** The demo's sealing keys; `previous` is the one that a rotation replaces. Throws `SettingProblem`. */
export function loadDemoSecrets(dataFolder: string, previous: Secret | null = null): SealingKeys {
  const file = path.join(dataFolder, 'secret')
  return loadSecrets({ secret: null, secretFile: file, secretPrevious: previous }, (name) => readFileSync(name, 'utf8'))
}

/** Makes the secret when there is none. */
export async function makeDemoSecret(dataFolder: string, random: RandomBytes): Promise<void> {
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
export async function readKeptKeys(dataFolder: string): Promise<KeptKeys> {
  const text = await readFile(keysFile(dataFolder), 'utf8').catch(() => '{}')
  try {
    const { keys } = JSON.parse(text) as { keys?: Record<string, unknown> }
    return new Map(Object.entries(keys ?? {}).flatMap(([storeId, kept]) => (isKept(kept) ? [[storeId, kept]] : [])))
  } catch {
    return new Map()
  }
}

/** Keeps the keys for the next start. */
export async function keepKeys(dataFolder: string, keys: KeptKeys): Promise<void> {
  const next = `${keysFile(dataFolder)}.${process.pid}`
  await write(next, `${JSON.stringify({ keys: Object.fromEntries(keys) }, null, 2)}\n`)
  await rename(next, keysFile(dataFolder))
}

/** A full or read-only disk is a sentence. */
async function write(file: string, text: string): Promise<void> {
  await orProblem(path.dirname(file), () => writeFile(file, text, { mode: OWNER_ONLY }))
}

function keysFile(dataFolder: string): string {
  return path.join(dataFolder, 'demo.json')
}

function isKept(value: unknown): value is KeptKey {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('key' in value)) return false
  return typeof value.id === 'string' && typeof value.key === 'string'
}
