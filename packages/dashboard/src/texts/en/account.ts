// Texts of the account page: language, password, and sessions.

import type { SecondFactorKind } from '@store-export/control'
import type { Format } from '../format.ts'

const HOW: Readonly<Record<SecondFactorKind, string>> = {
  passkey: 'with your passkey',
  code: 'with your password and a code',
  single_sign_on: 'at your platform',
}

export const account = ({ plural }: Format) => ({
  title: 'Your account',
  language: {
    title: 'Language',
    note: 'The language of the dashboard and of your emails.',
    label: 'Language',
    ofBrowser: 'The language of your browser',
    save: 'Save language',
    saved: 'Your language is saved.',
  },
  password: {
    title: 'Password',
    noteChange:
      'Changing your password signs out your other browsers. If you forgot it, sign in with a sign-in link. Then you don’t need it here.',
    noteForgotten: (minutes: number) =>
      `You signed in with a link. For ${plural(minutes, { one: '# minute', other: '# minutes' })} after the sign-in, you can set a new password without the current one. This signs out your other browsers.`,
    noteSet: 'You have no password yet. Set one to sign in without a link.',
    current: 'Current password',
    next: 'New password',
    hint: (lengthMin: number) =>
      `At least ${lengthMin} characters. Several random words are easy to remember and hard to guess.`,
    change: 'Change password',
    set: 'Set password',
    changed: 'Your password is changed, and your other browsers are signed out.',
    email: {
      subject: 'Your password for Store Data Export is changed',
      text: (email: string, url: string) =>
        `The account ${email} has a new password, and its other browsers are signed out.\n\nIf you didn’t change it, ask your platform’s support for a sign-in link. Then set a new password, and check your passkeys:\n${url}\n`,
    },
    problems: {
      current: 'This isn’t your current password.',
      linkExpired: 'You signed in with a link too long ago. Type your current password, or sign in with a new link.',
      sessionOld: 'To set a password, sign out, sign in again, and return to this page within ten minutes.',
      tooShort: (lengthMin: number) => `Use at least ${lengthMin} characters.`,
      tooLong: (lengthMax: number) => `Use at most ${lengthMax} characters.`,
      rateLimited: (seconds: number) =>
        `Too many attempts. Wait ${plural(seconds, { one: '# second', other: '# seconds' })} and try again.`,
    },
  },
  /** What to do before a change if the password alone opened the session. */
  signInFirst: {
    addPasskey: (factor: SecondFactorKind) =>
      `Sign out and sign in ${HOW[factor]} to add ${factor === 'passkey' ? 'another one' : 'a passkey'}.`,
    removePasskey: (factor: SecondFactorKind) =>
      `Sign out and sign in ${HOW[factor]} to remove this passkey. If you can’t, ask your platform’s support to remove it.`,
    setUpTwoFactor: (factor: SecondFactorKind) => `Sign out and sign in ${HOW[factor]} to set up two-factor sign-in.`,
    changeTwoFactor: (factor: SecondFactorKind) => `Sign out and sign in ${HOW[factor]} to change two-factor sign-in.`,
  },
  sessions: {
    title: 'Where you’re signed in',
    note: 'If you don’t recognize a browser, sign out everywhere, change your password, and check your passkeys.',
    browser: 'Browser',
    signedIn: 'Signed in',
    thisBrowser: 'This browser',
    signOutOthers: 'Sign out other browsers',
    othersSignedOut: 'Your other browsers are signed out.',
    signOutEverywhere: 'Sign out everywhere',
    aBrowser: 'A browser',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
  },
})

export type AccountTexts = ReturnType<typeof account>
