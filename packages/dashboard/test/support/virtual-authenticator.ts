// A virtual device that stores passkeys in Chromium, instead of a phone or a security key.

import type { OpenPage } from '../../../../test/support/browser.ts'

/** A device of one page. */
export interface VirtualAuthenticator {
  /** Returns the number of stored passkeys. */
  count(): Promise<number>
  /** Whether the device verifies its user, as by a fingerprint, or fails to. */
  setVerified(isVerified: boolean): Promise<void>
}

/** Adds a device to the page. `canVerify` is whether it can verify its user. */
export async function addAuthenticator(
  { page, context }: Pick<OpenPage, 'page' | 'context'>,
  { canVerify = true }: { readonly canVerify?: boolean } = {},
): Promise<VirtualAuthenticator> {
  const debug = await context.newCDPSession(page)
  await debug.send('WebAuthn.enable')
  const { authenticatorId } = await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: canVerify,
      isUserVerified: canVerify,
    },
  })
  return {
    count: async () => (await debug.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    setVerified: async (isUserVerified) => {
      await debug.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}
