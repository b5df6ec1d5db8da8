import { expect, test } from 'vitest'
import { InvalidSettingError, readConfig } from './config.ts'
import { singleSignOnSettings } from './single-sign-on.ts'

const WHOLE = {
  STORE_EXPORT_OIDC_ISSUER: 'https://login.example.com',
  STORE_EXPORT_OIDC_CLIENT_ID: 'dashboard',
  STORE_EXPORT_OIDC_CLIENT_SECRET: 'not to be printed',
}
const read = (env: Record<string, string>) => singleSignOnSettings(readConfig(env).config)

test('if neither the issuer nor the client is set, singleSignOnSettings returns null, even if a label is set', () => {
  expect(read({})).toBeNull()
  expect(read({ STORE_EXPORT_OIDC_LABEL: 'Sign in at the mall' })).toBeNull()
})

test('if the single sign-on settings are converted to JSON, the client secret is left out', () => {
  const settings = read(WHOLE)
  expect(settings).toMatchObject({
    issuer: 'https://login.example.com',
    clientId: 'dashboard',
    label: 'Sign in with your platform account',
  })
  expect(settings?.clientSecret.reveal()).toBe('not to be printed')
  expect(JSON.stringify(settings)).not.toContain('not to be printed')
})

test.each(Object.keys(WHOLE))(
  'if only the single sign-on setting %s is missing, the error names this setting',
  (name) => {
    const half = () => read({ ...WHOLE, [name]: '' })
    expect(half).toThrow(InvalidSettingError)
    expect(half).toThrow(`${name}: not set; set all of`)
  },
)
