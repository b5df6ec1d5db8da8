// Writes the email about the end of the last token of a directory.

import type { RevokedTokenAlert } from '@store-export/control'
import type { EmailsTexts } from '../texts/en/emails.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { TokenLeakEmailOptions } from './leak-email.ts'
import type { Email } from './mailer.ts'

/** The recipient of the email, who is an admin, and what its text depends on. */
export interface TokenEndEmailOptions extends Pick<TokenLeakEmailOptions, 'to' | 'dashboardUrl'> {
  readonly texts: EmailsTexts['directoryEnded']
}

/** Returns the email. Admins can't stop it: the directory no longer removes people who left the company. */
export function tokenEndEmail(token: RevokedTokenAlert, { to, texts, dashboardUrl }: TokenEndEmailOptions): Email {
  const { prefix, lastFour, storeId, storeName } = token
  const paths = storePaths(storeId)
  const text = [
    texts.sentence,
    texts.facts(storeName, `${prefix}…${lastFour}`),
    texts.seeActivity(`${dashboardUrl}${paths.activity}`),
    texts.createToken(`${dashboardUrl}${paths.directory}`),
    texts.checkMembers(`${dashboardUrl}${paths.members}`),
  ].join('\n\n')
  return { to, subject: texts.subject(storeName), text: `${text}\n` }
}
