// Compares the key check, which counts the request, with `select 1`. Both statements are prepared, and run one after
// another over one connection of a pool.

import {
  admit,
  type ControlDatabase,
  type HashedKey,
  hashApiKey,
  openControlDatabase,
  PlainKey,
} from '@store-export/control'
import { handleCalls } from '../lib/child-calls.ts'

/** The control database, and the key to check. */
export interface KeyCheckStart {
  readonly controlUrl: string
  readonly key: string
}

const SELECT_ONE = { text: 'select 1', values: [], prepared: true }

let started: { readonly database: ControlDatabase; readonly hash: HashedKey } | undefined

handleCalls({ start, 'select 1': selectOne, 'key check': checkKey }, async () => started?.database.close())

/** Connects to the control database. Rejects if the key doesn't work. */
async function start({ controlUrl, key }: KeyCheckStart): Promise<void> {
  const database = openControlDatabase(controlUrl, { poolSize: 1 })
  started = { database, hash: hashApiKey(new PlainKey(key)) }
  await checkKey(1)
}

async function selectOne(count: number): Promise<void> {
  const { database } = state()
  for (let i = 0; i < count; i++) await database.pool.query(SELECT_ONE)
}

async function checkKey(count: number): Promise<void> {
  const { database, hash } = state()
  for (let i = 0; i < count; i++) {
    const [admission] = await admit(hash, ['127.0.0.1'], { pool: database.pool, requestsPerMinute: 1_000_000_000 })
    if (admission === null || admission === undefined) throw new Error('the key was refused')
  }
}

function state() {
  if (started === undefined) throw new Error('not started')
  return started
}
