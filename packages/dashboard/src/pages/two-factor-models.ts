// Declares the data of the pages about the second factor of an account.

/** The page that sets up codes of an app. */
export interface TwoFactorSetUpPage {
  /** The secret of the account in base32. */
  readonly secret: string
  /** The URI of the QR code, which apps read. */
  readonly uri: string
  /** The error message for the code; null without an error. */
  readonly problem: string | null
}

/** The page that shows recovery codes, once. */
export interface RecoveryCodesPage {
  readonly codes: readonly string[]
  /** Whether the second factor was just turned on. */
  readonly isNew: boolean
}

/** The page that requests a code at the sign-in. */
export interface SignInCodePage {
  /** Path to open after the sign-in. */
  readonly next: string
  /** The error message; null at first. */
  readonly problem: string | null
}
