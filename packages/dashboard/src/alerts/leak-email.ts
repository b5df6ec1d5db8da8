// Writes the email about a key that a secret scanner found in public.

import type { LeakedKeyAlert } from '@store-export/control'
import { storePaths } from '../ui/store-paths.ts'
import type { Email } from './mailer.ts'

/** Returns the email. Nothing stops these emails, because the tool of the key no longer works. */
export function leakEmail(
  leak: LeakedKeyAlert,
  { to, dashboardUrl }: { readonly to: string; readonly dashboardUrl: string },
): Email {
  const { keyId, name, prefix, lastFour, storeId, storeName } = leak
  const paths = storePaths(storeId)
  const text = [
    `The key of ${name} was found in public. Anyone who saw it could read the data of your store, so the service revoked it. The tool no longer gets data.`,
    `Store: ${storeName}\nKey: ${name} (${prefix}…${lastFour})\nFound at: ${placeText(leak)}`,
    `Create a new key, and put it into the tool:\n${dashboardUrl}${paths.api}`,
    `See what was read with the old key:\n${dashboardUrl}${paths.keyUsage(keyId)}`,
    'Remove the old key from the place where it was found, so that no one tries it again. Keep the new key in a secret store, not in a file of a repository.',
  ].join('\n\n')
  return {
    to,
    subject: `${storeName}: The key of ${name} was found in public and is revoked`,
    text: `${text}\n`,
  }
}

function placeText({ url, source }: LeakedKeyAlert): string {
  const kind = source.replaceAll('_', ' ')
  if (url === '') return kind === '' ? 'the report does not say it' : kind
  return kind === '' ? url : `${url} (${kind})`
}
