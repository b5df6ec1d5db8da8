// Settings of API keys: their prefix, and reports of keys that leaked.

import { DEFAULT_KEY_PREFIX, KEY_PREFIX_PATTERN, KEY_PREFIX_RULE } from '@store-export/contract'
import type { Setting } from './setting.ts'

export const KEY_SETTINGS = {
  keyPrefix: {
    env: 'STORE_EXPORT_KEY_PREFIX',
    kind: 'string',
    default: DEFAULT_KEY_PREFIX,
    accepts: { pattern: new RegExp(`^${KEY_PREFIX_PATTERN}$`), rule: KEY_PREFIX_RULE },
    help: 'First characters of new keys, by which secret scanners recognize the keys. Also set it in each shell in which you create keys. Existing keys with a different prefix stay valid.',
  },
  leakReportKeysFile: {
    env: 'STORE_EXPORT_LEAK_REPORT_KEYS_FILE',
    kind: 'string',
    default: null,
    help: 'Path of a JSON file with the public keys of secret scanners, in the format of GitHub. With this setting, /leak-reports revokes keys that a scanner reports. Without this setting, the path returns 404. Nodes read the file again when it changes.',
  },
} as const satisfies Record<string, Setting>
