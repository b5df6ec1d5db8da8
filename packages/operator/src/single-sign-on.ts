// The settings of single sign-on, which count together or not at all.

import type { SingleSignOnSettings } from '@store-export/dashboard'
import { type Config, InvalidSettingError } from './config.ts'
import { SETTINGS } from './settings.ts'

/** The operator's own login; null where no setting names one. Throws `InvalidSettingError` where one is missing. */
export function singleSignOnSettings(config: Config): SingleSignOnSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcLabel: label } = config
  if (issuer === null && clientId === null && clientSecret === null) return null
  if (issuer === null) throw missing('oidcIssuer')
  if (clientId === null) throw missing('oidcClientId')
  if (clientSecret === null) throw missing('oidcClientSecret')
  return { issuer, clientId, clientSecret, label }
}

const TOGETHER = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const

function missing(name: (typeof TOGETHER)[number]): InvalidSettingError {
  const names = TOGETHER.map((each) => SETTINGS[each].env)
  return new InvalidSettingError(SETTINGS[name].env, `is missing: single sign-on needs all of ${names.join(', ')}`)
}
