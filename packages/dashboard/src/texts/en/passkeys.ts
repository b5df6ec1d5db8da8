// Texts of passkeys: the card on the account page, its pages, and the sign-in with a passkey.

import { html } from '../../ui/html.ts'
import type { Format } from '../format.ts'

export const passkeys = ({ plural }: Format) => ({
  title: 'Passkeys',
  note: 'A passkey signs you in with your fingerprint, your face, or the PIN of your device. You type no password and no code.',
  needsPassword: 'Each change to your passkeys needs your password. Set a password first.',
  limit: (passkeys: number) =>
    `You have ${plural(passkeys, { one: '# passkey', other: '# passkeys' })}, which is the maximum. Remove one to add another.`,
  elsewhere: (url: string) =>
    html`Browsers allow no passkeys at an IP address. To use passkeys, open <a href="${url}">${url}</a> and sign in there.`,
  noHostName:
    'Browsers allow no passkeys at an IP address. Ask your platform’s support for an address with a host name.',
  none: 'You have no passkeys.',
  columns: { name: 'Name', added: 'Added', change: 'Change' },
  change: 'Change',
  added: 'Your passkey is added. You can sign in with it now.',
  renamed: 'The name of the passkey is saved.',
  removed: 'The passkey is removed, and your other browsers are signed out.',
  add: {
    link: 'Add a passkey',
    title: 'Add a passkey',
    lead: 'Your browser saves it on this device, in a password manager, or on a security key.',
    card: 'New passkey',
    name: 'Name of the passkey',
    hint: 'A name by which you recognize it later.',
    password: 'Your password',
    button: 'Create passkey',
    unsupported:
      'This browser can’t create passkeys, or JavaScript is off. Turn JavaScript on, or use a newer browser.',
    problems: {
      name: 'Use a name of at most 80 characters, at least one visible character, and no control characters.',
      canceled: 'No passkey was created, because you canceled or took too long. Try again.',
      known: 'This device or password manager has a passkey of your account already.',
      failed: 'Your browser couldn’t create a passkey. Try again, or use another browser or device.',
      rejected: 'The passkey wasn’t added. Add it again. Confirm it with your fingerprint, your face, or your PIN.',
    },
  },
  edit: {
    lead: (name: string) => html`The passkey <strong>${name}</strong> signs you in.`,
    title: 'Change a passkey',
    rename: 'Rename',
    save: 'Save name',
    remove: 'Remove',
    removeNote:
      'The passkey no longer signs you in, and your other browsers are signed out. Also delete it from your device or password manager.',
    password: 'Your password',
    removeButton: 'Remove passkey',
  },
  signIn: {
    button: 'Sign in with a passkey',
    canceled: 'You’re not signed in, because you canceled or your device has no passkey for this dashboard.',
    failed: 'Your browser couldn’t use a passkey. Try again, or sign in with your password.',
    rejected:
      'The sign-in with the passkey didn’t work. Try again, and confirm it with your fingerprint, your face, or your PIN. You can also sign in with your password.',
    unknown: 'No account has this passkey. It may have been removed. Sign in with your password.',
  },
})

export type PasskeysTexts = ReturnType<typeof passkeys>
