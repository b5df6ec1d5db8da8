// Texts of two-factor sign-in: the card on the account page, its pages, and the page that requests a code.

export const twoFactor = () => ({
  title: 'Two-factor sign-in',
  on: 'On',
  off: 'Off',
  needsPassword: 'Codes of an app protect the sign-in with a password. Set a password first.',
  platform: 'If you sign in at your platform, your platform decides whether it requests a code.',
  noteOn: 'After your password or a sign-in link, you enter a code of your app.',
  noteOff:
    'After your password or a sign-in link, you enter a code of an app on your phone. A stolen password alone is not enough to sign in.',
  password: 'Your password',
  newCodes: 'New recovery codes',
  turnOff: 'Turn off',
  turnedOff: 'Two-factor sign-in is off. Your password alone signs you in.',
  code: 'Code',
  setUp: {
    button: 'Set up',
    title: 'Set up two-factor sign-in',
    lead: 'Use an app that makes codes, such as a password manager or an authenticator app.',
    scanTitle: '1. Add the account to your app',
    scanNote: 'Scan this picture with the app, or enter the key.',
    picture: 'QR code with the key below',
    key: 'Key',
    codeHint: 'Six digits. They change every 30 seconds.',
    turnOn: 'Turn on',
    confirmTitle: '2. Enter the code that the app shows',
    confirmNote: 'Your other browsers are signed out.',
    wrongCode: 'This code is wrong or was used already. Wait for the next code of the app, and enter that one.',
  },
  recovery: {
    titleNew: 'Two-factor sign-in is on',
    titleRenewed: 'Your new recovery codes',
    lead: 'If you lose your phone, a recovery code replaces a code of the app. Each works once.',
    warning: 'Print these codes or save them in a password manager. We don’t show them again.',
    replaced: 'Your earlier codes no longer work.',
    codes: 'Recovery codes',
    saved: 'I have saved the codes',
  },
  signIn: {
    title: 'Enter your code',
    lead: 'Your account has two-factor sign-in.',
    codeHint: 'The six digits that your app shows, or a recovery code.',
    noCode: 'No phone and no recovery code? Ask your platform’s support to turn off two-factor sign-in.',
    startAgain: 'Start again',
    wrong: 'This code is wrong or was used already. Wait for the next code of your app, or use another recovery code.',
    ended: 'The sign-in took too long, or had too many wrong codes. Sign in again.',
  },
})

export type TwoFactorTexts = ReturnType<typeof twoFactor>
