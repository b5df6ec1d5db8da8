// Reads the two settings of emails, the SMTP URL and the sender. Both are set, or neither.

import type { MailSettings } from '@store-export/dashboard'
import { type Config, InvalidSettingError } from './config.ts'
import { SETTINGS } from './settings.ts'

const SCHEMES = new Set(['smtp:', 'smtps:'])

/** Returns the settings; null if none is set. Throws `InvalidSettingError` if only one is set, or one is invalid. */
export function mailSettings({ smtpUrl, mailFrom }: Config): MailSettings | null {
  const { smtpUrl: url, mailFrom: from } = SETTINGS
  if (smtpUrl === null && mailFrom === null) return null
  if (smtpUrl === null) throw new InvalidSettingError(url.env, `not set; set it together with ${from.env}`)
  if (mailFrom === null) throw new InvalidSettingError(from.env, `not set; set it together with ${url.env}`)
  // The message doesn't repeat the URL, because it can contain a password.
  const parsed = URL.parse(smtpUrl.reveal())
  if (parsed === null || !SCHEMES.has(parsed.protocol) || parsed.hostname === '')
    throw new InvalidSettingError(url.env, 'must be a URL such as smtp://user:password@mail.example.com:587')
  // A control character, such as a line break, could add headers to an email.
  if (!/^[^\p{Cc}]*[^\s@<>]+@[^\s@<>]+>?$/u.test(mailFrom))
    throw new InvalidSettingError(from.env, 'must be an address such as Store export <export@example.com>')
  return { smtpUrl, from: mailFrom }
}
