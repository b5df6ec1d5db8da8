// The kinds of settings. A declaration contains what the parser, its error messages, and docs/operate/settings.md need.

/** What every setting has. */
interface SettingBase {
  /** Name of the environment variable. */
  readonly env: `STORE_EXPORT_${string}`
  /** Meaning of the setting, for `--help` and docs/operate/settings.md. */
  readonly help: string
}

/** A setting that is a whole number from `min` to `max`. */
export interface IntegerSetting extends SettingBase {
  readonly kind: 'integer'
  readonly default: number
  readonly unit: string
  readonly min: number
  readonly max: number
}

/** A setting that is on or off. */
export interface FlagSetting extends SettingBase {
  readonly kind: 'flag'
  readonly default: boolean
}

/** A setting that is one of the words in `accepted`. */
export interface ChoiceSetting extends SettingBase {
  readonly kind: 'choice'
  readonly default: string
  readonly accepted: readonly string[]
}

/**
 * A string that matches `pattern`, if there is one. Messages have `rule` after "must be". The default null means that
 * the setting is not set.
 */
export interface StringSetting extends SettingBase {
  readonly kind: 'string'
  readonly default: string | null
  readonly accepts?: { readonly pattern: RegExp; readonly rule: string }
}

/** A setting whose value is left out of output and messages. It has no default value. */
interface SecretSetting extends SettingBase {
  readonly kind: 'secret'
  readonly default: null
}

/** A setting: its variable, accepted values, default, and help. */
export type Setting = IntegerSetting | FlagSetting | ChoiceSetting | StringSetting | SecretSetting
