// The settings of single sign-on, which count together or not at all.

import type { SingleSignOnSettings } from '@store-export/dashboard'
import { type Config, SettingProblem } from './config.ts'
import { SETTINGS } from './settings.ts'

/** The operator's own login; null where no setting names one. Throws `SettingProblem` where one is missing. */
export function singleSignOnOf(config: Config): SingleSignOnSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcLabel: label } = config
  if (issuer === null && clientId === null && clientSecret === null) return null
  if (issuer === null) throw missing('oidcIssuer')
  if (clientId === null) throw missing('oidcClientId')
  if (clientSecret === null) throw missing('oidcClientSecret')
  return { issuer, clientId, clientSecret, label }
}

const TOGETHER = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const

function missing(name: (typeof TOGETHER)[number]): SettingProblem {
  const names = TOGETHER.map((each) => SETTINGS[each].env)
  return new SettingProblem(SETTINGS[name].env, `is missing: single sign-on needs all of ${names.join(', ')}`)
}
