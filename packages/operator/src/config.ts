// Reads the settings (settings.ts) from environment variables. It reads no file. load-secrets.ts decodes the secrets.

import { Secret } from '@store-export/control'
import type { ChoiceSetting, FlagSetting, IntegerSetting, Setting, StringSetting } from './settings/setting.ts'
import { SETTINGS } from './settings.ts'

/** The type of a setting's value. Null stands for a string or a secret that is not set. */
type ValueOf<S extends Setting> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'flag' }
    ? boolean
    : S extends { kind: 'choice'; accepted: readonly (infer Value)[] }
      ? Value
      : S extends { kind: 'secret' }
        ? Secret | null
        : S extends { default: null }
          ? string | null
          : string

/** The values of all settings, frozen. A secret is wrapped, and prints as [secret]. */
export type Config = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> }

/** The settings, and one sentence for each warning about the environment. */
export interface ConfigResult {
  readonly config: Config
  readonly warnings: readonly string[]
}

/**
 * Thrown if a required setting is missing, or if a setting or its file is invalid. The message names the setting and
 * says what to do, and contains no secret.
 */
export class InvalidSettingError extends Error {
  override readonly name = 'InvalidSettingError'
  readonly env: string

  constructor(env: string, message: string, options?: ErrorOptions) {
    super(`${env}: ${message}`, options)
    this.env = env
  }
}

/** Variables of clients and of `store-sync`, which cause no warning. */
const CLIENT_VARIABLES = new Set(['STORE_EXPORT_KEY', 'STORE_EXPORT_KEY_FILE', 'STORE_EXPORT_URL'])
/** Maximum length of a value in an error message. */
const QUOTED_LENGTH_MAX = 40

/**
 * Returns the settings, and warnings about unknown variables that begin with STORE_EXPORT_. Trims values, and treats an
 * empty value as absent. Throws `InvalidSettingError` for the first invalid value.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const text = env[setting.env]?.trim() ?? ''
    values[name] = text === '' ? setting.default : parse(setting, text)
  }
  // The compiler can't infer that each value has the type of its setting.
  return { config: Object.freeze(values) as unknown as Config, warnings: warningsOf(env) }
}

/** Returns the settings with their defaults and units for `--help`, one paragraph each. */
export function settingsHelp(): string {
  return Object.values<Setting>(SETTINGS).map(describeSetting).join('\n')
}

function parse(setting: Setting, text: string): number | boolean | string | Secret {
  switch (setting.kind) {
    case 'integer':
      return parseInteger(setting, text)
    case 'flag':
      return parseFlag(setting, text)
    case 'choice':
      return parseChoice(setting, text)
    case 'secret':
      return new Secret(text)
    case 'string':
      return parseText(setting, text)
  }
}

function parseInteger(setting: IntegerSetting, text: string): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= setting.min && value <= setting.max)) {
    const bounds = `a whole number from ${setting.min} to ${setting.max} (${setting.unit})`
    throw new InvalidSettingError(setting.env, `must be ${bounds}; got ${quoteInput(text)}`)
  }
  return value
}

const FLAG_VALUES: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
}

function parseFlag(setting: FlagSetting, text: string): boolean {
  const name = text.toLowerCase()
  // Without the check, names such as `constructor` would find a value.
  const value = Object.hasOwn(FLAG_VALUES, name) ? FLAG_VALUES[name] : undefined
  if (value === undefined) {
    throw new InvalidSettingError(setting.env, `must be on or off; got ${quoteInput(text)}`)
  }
  return value
}

function parseChoice(setting: ChoiceSetting, text: string): string {
  const value = text.toLowerCase()
  if (!setting.accepted.includes(value)) {
    throw new InvalidSettingError(setting.env, `must be one of ${setting.accepted.join(', ')}; got ${quoteInput(text)}`)
  }
  return value
}

function parseText({ env, accepts }: StringSetting, text: string): string {
  if (accepts === undefined || accepts.pattern.test(text)) return text
  throw new InvalidSettingError(env, `must be ${accepts.rule}; got ${quoteInput(text)}`)
}

function quoteInput(text: string): string {
  return JSON.stringify(text.length <= QUOTED_LENGTH_MAX ? text : `${text.slice(0, QUOTED_LENGTH_MAX)}…`)
}

function warningsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values<Setting>(SETTINGS).map((setting) => setting.env))
  return Object.keys(env)
    .filter((name) => name.startsWith('STORE_EXPORT_') && !known.has(name) && !CLIENT_VARIABLES.has(name))
    .sort()
    .map((name) => `warning: ${name} is not a setting of this version and has no effect; --help lists the settings`)
}

function describeSetting(setting: Setting): string {
  return `  ${setting.env}\n      ${setting.help} (${defaultText(setting)})`
}

function defaultText(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
      return `default ${setting.default}${setting.unit === 'port' ? '' : ` ${setting.unit}`}`
    case 'flag':
      return `default ${setting.default ? 'on' : 'off'}`
    case 'choice':
      return `default ${setting.default}; one of ${setting.accepted.join(', ')}`
    default:
      return setting.default === null ? 'no default' : `default ${setting.default}`
  }
}
