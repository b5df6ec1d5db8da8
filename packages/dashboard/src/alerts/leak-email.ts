// Writes the email about a key that a secret scanner found in public.

import type { LeakedKeyAlert, MemberRole } from '@store-export/control'
import { includesPermission } from '../members/permissions.ts'
import type { EmailsTexts } from '../texts/en/emails.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { Email } from './mailer.ts'

/** The recipient of the email, and what its text depends on. */
export interface LeakEmailOptions {
  readonly to: string
  /** The role of the recipient in the store. */
  readonly role: MemberRole
  /** Texts in the language of the recipient. */
  readonly texts: EmailsTexts['leaked']
  readonly dashboardUrl: string
}

/** Returns the email. Merchants can't stop these emails, because the tool of the key no longer works. */
export function leakEmail(leak: LeakedKeyAlert, { to, role, texts, dashboardUrl }: LeakEmailOptions): Email {
  const { keyId, name, prefix, lastFour, storeId, storeName } = leak
  const paths = storePaths(storeId)
  const text = [
    texts.sentence(name),
    texts.facts(storeName, `${name} (${prefix}…${lastFour})`, placeText(leak, texts)),
    includesPermission(role, 'manage keys')
      ? texts.createKey(`${dashboardUrl}${paths.api}`)
      : texts.askAdmin(`${dashboardUrl}${paths.members}`),
    texts.seeUsage(`${dashboardUrl}${paths.keyUsage(keyId)}`),
    texts.removeKey,
  ].join('\n\n')
  return { to, subject: texts.subject(storeName, name), text: `${text}\n` }
}

function placeText({ url, source }: LeakedKeyAlert, texts: EmailsTexts['leaked']): string {
  const kind = source.replaceAll('_', ' ')
  if (url === '') return kind === '' ? texts.unknownPlace : kind
  return kind === '' ? url : `${url} (${kind})`
}
