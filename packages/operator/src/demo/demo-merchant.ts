// The demo's merchant: an account that sees every store of the demo, with a password that is kept and printed.

import { type ControlDatabase, type RandomBytes, readDashboardSecret, type SealingKeys } from '@store-export/control'
import type { Config } from '../config.ts'
import { readSignIn } from './data-folder.ts'

/** Where the account is made. */
export interface DemoMerchantOptions {
  readonly config: Config
  readonly database: ControlDatabase
  readonly keys: SealingKeys
  readonly random: RandomBytes
  readonly dataFolder: string
  readonly storeIds: readonly string[]
}

/** What a person types at the sign-in. */
export interface DemoSignIn {
  readonly email: string
  readonly password: string
}

const EMAIL = 'merchant@example.com'
const PASSWORD_BYTES = 12

/** The account, with its password as it was kept: what somebody has changed it to is forgotten. */
export async function ensureDemoMerchant(options: DemoMerchantOptions): Promise<DemoSignIn> {
  const { config, database, keys, random, dataFolder, storeIds } = options
  const secret = await readDashboardSecret({ database, keys, random, replaceUnopenable: true })
  // loaded here, so that the other commands start faster
  const { Accounts } = await import('@store-export/dashboard')
  const accounts = new Accounts({ ...config, database, secret, url: 'http://127.0.0.1' })
  const password = (await readSignIn(dataFolder))?.password ?? random(PASSWORD_BYTES).toString('base64url')
  for (const storeId of storeIds) {
    const { id } = await accounts.addMerchant(EMAIL, storeId)
    if (storeId === storeIds[0]) await accounts.setPassword(id, password)
  }
  return { email: EMAIL, password }
}
