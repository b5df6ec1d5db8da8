// Reads the settings of single sign-on. The issuer, the client ID, and the client secret are set together, or not at
// all. The label has a default, and the claim with the stores is optional.

import type { SingleSignOnSettings } from '@store-export/dashboard'
import { type Config, InvalidSettingError } from './config.ts'
import { SETTINGS } from './settings.ts'

/** Returns the settings; null if none of the three is set. Throws `InvalidSettingError` if only some are set. */
export function singleSignOnSettings(config: Config): SingleSignOnSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcLabel: label } = config
  const { oidcStoresClaim: storesClaim } = config
  if (issuer === null && clientId === null && clientSecret === null) return null
  if (issuer === null) throw missing('oidcIssuer')
  if (clientId === null) throw missing('oidcClientId')
  if (clientSecret === null) throw missing('oidcClientSecret')
  return { issuer, clientId, clientSecret, label, storesClaim }
}

const REQUIRED = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const

function missing(name: (typeof REQUIRED)[number]): InvalidSettingError {
  const names = REQUIRED.map((each) => SETTINGS[each].env)
  return new InvalidSettingError(SETTINGS[name].env, `not set; set all of ${names.join(', ')} for single sign-on`)
}
