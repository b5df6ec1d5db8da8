// Simulates a secret scanner, which signs the bodies of its requests with an ECDSA P-256 key, as GitHub does.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A scanner with a key pair. */
export interface TestScanner {
  /** Its public key, as the file with the public keys has it. */
  readonly entry: { readonly key_identifier: string; readonly key: string; readonly is_current: boolean }
  readonly privateKey: KeyObject
  /** Returns the headers of a request with this body. */
  headersFor(body: string | Buffer): Record<string, string>
}

/** Returns a scanner with a new key pair. By default, its key is current and on the curve P-256. */
export function newScanner({ isCurrent = true, curve = 'prime256v1' } = {}): TestScanner {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const identifier = randomBytes(32).toString('hex')
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return {
    entry: { key_identifier: identifier, key, is_current: isCurrent },
    privateKey,
    headersFor: (body) => ({
      'content-type': 'application/json',
      'github-public-key-identifier': identifier,
      'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
    }),
  }
}

/** A file with public keys. */
export interface KeysFile {
  readonly path: string
  /** Replaces the content. */
  write(text: string): void
  remove(): Promise<void>
}

/** Creates a file with the public keys of these scanners. */
export async function createKeysFile(...scanners: readonly TestScanner[]): Promise<KeysFile> {
  const folder = await mkdtemp(path.join(tmpdir(), 'scanner-'))
  const file = path.join(folder, 'scanner-keys.json')
  const write = (text: string) => writeFileSync(file, text)
  write(keysText(...scanners))
  return { path: file, write, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Returns the public keys of these scanners in the format of GitHub. */
export function keysText(...scanners: readonly TestScanner[]): string {
  return JSON.stringify({ public_keys: scanners.map(({ entry }) => entry) })
}
