// Declares the data of the pages about passkeys.

import type { SecondFactorKind } from '@store-export/control'
import type { Passkey } from '../accounts/passkeys.ts'

/** The card of the account page. */
export interface PasskeysCard {
  /** Oldest first. */
  readonly list: readonly Passkey[]
  /**
   * Whether the merchant can add a passkey. `full`: the account has as many as possible. `no host name`: the
   * dashboard has only an IP address, for which browsers allow no passkeys. `elsewhere`: the merchant opened the
   * dashboard at an IP address, and passkeys work at `url`. `sign in first`: the merchant must sign in with `factor`.
   */
  readonly adding:
    | { readonly kind: 'possible' | 'full' | 'no host name' }
    | { readonly kind: 'elsewhere'; readonly url: string }
    | { readonly kind: 'sign in first'; readonly factor: SecondFactorKind }
}

/** The page that adds a passkey. */
export interface AddPasskeyPage {
  /** A name for the new passkey, which the merchant can change. */
  readonly name: string
}

/** The page that renames or removes a passkey. */
export interface PasskeyPage {
  readonly passkey: Passkey
  /** The second factor with which the merchant must sign in to remove it; null if this session is enough. */
  readonly signInFirst: SecondFactorKind | null
  /** The content of the field for the name. */
  readonly typedName: string
  /** The field that the dashboard rejected, and its error message; null without an error. */
  readonly problem: { readonly field: 'name' | 'confirm'; readonly text: string } | null
}
