import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { InvalidSettingError, readConfig, settingsHelp } from './config.ts'
import { SETTINGS } from './settings.ts'

describe('settings', () => {
  test('[LIM-1] if no setting is given, the port is 8080, the host 127.0.0.1, and the limit 120 requests per minute', () => {
    const { config, warnings } = readConfig({})
    expect(config).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      requestsPerMinute: 120,
      logLevel: 'info',
      secret: null,
    })
    expect(config).toMatchObject({ docsTryIt: false, storeSessionSettings: true })
    expect(warnings).toEqual([])
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('readConfig parses settings, uses the default for an empty string, and hides passwords in the printed config', () => {
    const { config } = readConfig({
      STORE_EXPORT_PORT: '9999',
      STORE_EXPORT_HOST: '',
      STORE_EXPORT_DOCS_TRY_IT: 'on',
      STORE_EXPORT_STORE_SESSION_SETTINGS: 'false',
      STORE_EXPORT_LOG_LEVEL: 'WARN',
      STORE_EXPORT_DATABASE_URL: 'postgres://u:pw@h/d',
    })
    expect(config).toMatchObject({
      port: 9999,
      host: '127.0.0.1',
      docsTryIt: true,
      storeSessionSettings: false,
      logLevel: 'warn',
    })
    expect(config.databaseUrl?.reveal()).toBe('postgres://u:pw@h/d')
    expect(inspect(config) + JSON.stringify(config)).not.toContain('pw')
  })

  test.each(['a_', 'acme_', 'acme_live_', 'a1__', 'sixteen_letters_'])(
    '[AUTH-2] readConfig accepts %s as the key prefix',
    (prefix) => {
      expect(readConfig({ STORE_EXPORT_KEY_PREFIX: prefix }).config.keyPrefix).toBe(prefix)
    },
  )

  test.each([
    ['STORE_EXPORT_PORT', 'ten', 'STORE_EXPORT_PORT: must be a whole number from 0 to 65535 (port); got "ten"'],
    ['STORE_EXPORT_PORT', '65536', 'got "65536"'],
    ['STORE_EXPORT_PORT', '1e3', 'got "1e3"'],
    ['STORE_EXPORT_REQUESTS_PER_MINUTE', '-1', 'from 1 to'],
    ['STORE_EXPORT_DOCS_TRY_IT', 'constructor', 'must be on or off'],
    [
      'STORE_EXPORT_SECURITY_CONTACT',
      'security@example.com',
      'must be a URI that starts with mailto:, https:// or tel:; got "security@example.com"',
    ],
    ['STORE_EXPORT_SECURITY_CONTACT', 'mailto:a@example.com\nExpires: never', 'must be a URI'],
    [
      'STORE_EXPORT_KEY_PREFIX',
      'acme',
      'must be 2 to 16 lowercase letters, digits and _, beginning with a letter and ending with _, such as acme_; got "acme"',
    ],
    ['STORE_EXPORT_KEY_PREFIX', '_', 'got "_"'],
    ['STORE_EXPORT_KEY_PREFIX', '1_', 'got "1_"'],
    ['STORE_EXPORT_KEY_PREFIX', 'Acme_', 'got "Acme_"'],
    ['STORE_EXPORT_KEY_PREFIX', 'acme-live_', 'got "acme-live_"'],
    ['STORE_EXPORT_KEY_PREFIX', 'seventeen_letter_', 'got "seventeen_letter_"'],
    ['STORE_EXPORT_LOG_LEVEL', 'loud', 'must be one of silent, error, warn, info, debug; got "loud"'],
  ])('if the setting %s is %j, the error contains the text %j', (env, value, message) => {
    expect(() => readConfig({ [env]: value })).toThrow(InvalidSettingError)
    expect(() => readConfig({ [env]: value })).toThrow(message)
  })

  test('if a STORE_EXPORT_ variable is not a known setting, a warning names the variable and leaves out its value', () => {
    const { warnings } = readConfig({
      STORE_EXPORT_PROT: 's3cret',
      STORE_EXPORT_KEY: 'sdx_x',
      STORE_EXPORT_KEY_FILE: 'key',
      PATH: '/bin',
    })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('STORE_EXPORT_PROT')
    expect(warnings[0]).not.toContain('s3cret')
  })

  test('if no setting is given, the key prefix is sdx_, and the path of the leak-report keys is null', () => {
    expect(readConfig({}).config).toMatchObject({ leakReportKeysFile: null, keyPrefix: 'sdx_' })
  })

  test('settingsHelp lists every setting once', () => {
    const help = settingsHelp()
    for (const { env } of Object.values(SETTINGS)) {
      expect(help.match(new RegExp(`^ {2}${env}$`, 'gm'))).toHaveLength(1)
    }
    expect(help).toContain('(default 10000 ms)')
  })
})
