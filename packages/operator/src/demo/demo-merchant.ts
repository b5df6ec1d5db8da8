// Creates the merchant of the demo: an account with access to all stores, whose password the demo prints.

import { type ControlDatabase, type EncryptionKeys, type RandomBytes, readDashboardSecret } from '@store-export/control'
import type { Config } from '../config.ts'
import { readSignIn } from './data-folder.ts'

/** The account's database and stores, and the folder with the password. */
export interface DemoMerchantOptions {
  readonly config: Config
  readonly database: ControlDatabase
  readonly keys: EncryptionKeys
  readonly random: RandomBytes
  readonly dataFolder: string
  readonly storeIds: readonly string[]
}

/** What the demo prints for the sign-in to the dashboard. */
export interface DemoSignIn {
  readonly email: string
  readonly password: string
}

const EMAIL = 'merchant@example.com'
const PASSWORD_BYTES = 12

/**
 * Creates the account if it does not exist, gives it access to the stores, and sets its password. Reuses the password
 * of earlier starts. Returns the email address and the password. Without stores, creates no account.
 */
export async function ensureDemoMerchant(options: DemoMerchantOptions): Promise<DemoSignIn> {
  const { config, database, keys, random, dataFolder, storeIds } = options
  // This secret signs the cookies of the dashboard. If the secret of the data folder was lost, it is replaced, and the
  // merchant must sign in again.
  const secret = await readDashboardSecret({ database, keys, random, replaceUndecryptable: true })
  // With a dynamic import, other commands start faster.
  const { Accounts } = await import('@store-export/dashboard')
  // No link is created here, so the address has no effect.
  const accounts = new Accounts({ ...config, database, secret, url: 'http://127.0.0.1' })
  const password = (await readSignIn(dataFolder))?.password ?? random(PASSWORD_BYTES).toString('base64url')
  for (const storeId of storeIds) {
    const { id } = await accounts.addMerchant(EMAIL, storeId)
    // Each start sets the password, because the printed one must work. Once is enough for all stores.
    if (storeId === storeIds[0]) await accounts.setPassword(id, password)
  }
  return { email: EMAIL, password }
}
