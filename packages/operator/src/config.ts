// Reads the settings from the environment, once, at the start. Reads no file and opens nothing: what a secret's text
// means is load-secrets.ts, which settings there are is settings.ts.

import { Secret } from '@store-export/control'
import { type ChoiceSetting, type FlagSetting, type IntegerSetting, SETTINGS, type Setting } from './settings.ts'

type ValueOf<S extends Setting> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'flag' }
    ? boolean
    : S extends { kind: 'choice'; accepted: readonly (infer Word)[] }
      ? Word
      : S extends { kind: 'secret' }
        ? Secret | null
        : S extends { default: null }
          ? string | null
          : string

/** The settings as read; frozen. Secrets are wrapped and print as [secret]. */
export type Config = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> }

/** The settings and what the operator should know about the environment, in sentences. */
export interface ConfigResult {
  readonly config: Config
  readonly warnings: readonly string[]
}

/** A setting with a value that is not accepted. The message names it and what is accepted, and never a secret. */
export class InvalidSettingError extends Error {
  override readonly name = 'SettingProblem'
  readonly env: string

  constructor(env: string, message: string, options?: ErrorOptions) {
    super(`${env}: ${message}`, options)
    this.env = env
  }
}

/** Names that other programs of this project read. */
const NAMES_OF_OTHERS = new Set(['STORE_EXPORT_KEY', 'STORE_EXPORT_URL'])
const ECHOED_LENGTH_MAX = 40
const SERVER_LIMIT_SHARE = 0.9

/**
 * The settings of this environment; an empty value counts as absent. Throws `SettingProblem` on the first value that
 * is not accepted.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const text = env[setting.env]?.trim() ?? ''
    values[name] = text === '' ? setting.default : parse(setting, text)
  }
  // The mapped type follows the table row by row, which the compiler cannot see in a loop.
  return { config: Object.freeze(values) as unknown as Config, warnings: warningsOf(env) }
}

/** The limit that a store database sets to itself, in ms: below the client's, so that no query runs on unheard. */
export function statementTimeoutMs(config: Pick<Config, 'storeTimeoutMs'>): number {
  return Math.floor(config.storeTimeoutMs * SERVER_LIMIT_SHARE)
}

/** All settings with defaults and units, a paragraph each, for `--help`. */
export function settingsHelp(): string {
  return Object.values<Setting>(SETTINGS).map(paragraph).join('\n')
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
    case 'text':
      return text
  }
}

function parseInteger(setting: IntegerSetting, text: string): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= setting.min && value <= setting.max)) {
    const bounds = `a whole number from ${setting.min} to ${setting.max} (${setting.unit})`
    throw new InvalidSettingError(setting.env, `must be ${bounds}; got ${echo(text)}`)
  }
  return value
}

const FLAG_WORDS: Readonly<Record<string, boolean>> = {
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
  const word = text.toLowerCase()
  const value = Object.hasOwn(FLAG_WORDS, word) ? FLAG_WORDS[word] : undefined
  if (value === undefined) {
    throw new InvalidSettingError(setting.env, `must be on or off; got ${echo(text)}`)
  }
  return value
}

function parseChoice(setting: ChoiceSetting, text: string): string {
  const word = text.toLowerCase()
  if (!setting.accepted.includes(word)) {
    throw new InvalidSettingError(setting.env, `must be one of ${setting.accepted.join(', ')}; got ${echo(text)}`)
  }
  return word
}

function echo(text: string): string {
  return JSON.stringify(text.length <= ECHOED_LENGTH_MAX ? text : `${text.slice(0, ECHOED_LENGTH_MAX)}…`)
}

function warningsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values<Setting>(SETTINGS).map((setting) => setting.env))
  return Object.keys(env)
    .filter((name) => name.startsWith('STORE_EXPORT_') && !known.has(name) && !NAMES_OF_OTHERS.has(name))
    .sort()
    .map((name) => `${name} is no setting of this version and has no effect; --help lists them all`)
}

function paragraph(setting: Setting): string {
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
