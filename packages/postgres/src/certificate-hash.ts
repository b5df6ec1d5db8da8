// Computes the hash of a server's certificate that binds SCRAM to a TLS channel: tls-server-end-point of RFC 5929.

import { createHash } from 'node:crypto'

const SEQUENCE = 0x30
const OBJECT_IDENTIFIER = 0x06
/** Hash functions by the signature algorithm's hexadecimal identifier. RFC 5929 replaces MD5 and SHA-1 with SHA-256. */
const HASHES: Readonly<Record<string, string>> = {
  '2a864886f70d010104': 'sha256', // md5WithRSAEncryption
  '2a864886f70d010105': 'sha256', // sha1WithRSAEncryption
  '2a864886f70d01010b': 'sha256', // sha256WithRSAEncryption
  '2a864886f70d01010c': 'sha384', // sha384WithRSAEncryption
  '2a864886f70d01010d': 'sha512', // sha512WithRSAEncryption
  '2a8648ce3d0401': 'sha256', // ecdsa-with-SHA1
  '2a8648ce3d040302': 'sha256', // ecdsa-with-SHA256
  '2a8648ce3d040303': 'sha384', // ecdsa-with-SHA384
  '2a8648ce3d040304': 'sha512', // ecdsa-with-SHA512
}

/**
 * Returns the hash of a certificate in DER form, with the function that RFC 5929 prescribes. Returns null if the
 * certificate can't be read, or if its signature algorithm is not in `HASHES`, such as Ed25519 and RSA-PSS.
 */
export function certificateHash(certificate: Buffer): Buffer | null {
  const algorithm = HASHES[signatureAlgorithm(certificate) ?? '']
  return algorithm === undefined ? null : createHash(algorithm).update(certificate).digest()
}

/**
 * Returns the identifier of the signature algorithm in hexadecimal; null if the certificate can't be read. The
 * structure of a certificate:
 * SEQUENCE { tbsCertificate SEQUENCE, signatureAlgorithm SEQUENCE { algorithm OBJECT IDENTIFIER, … }, … }
 */
function signatureAlgorithm(certificate: Buffer): string | null {
  const outer = elementAt(certificate, 0, SEQUENCE)
  const signed = outer && elementAt(certificate, outer.start, SEQUENCE)
  const algorithm = signed && elementAt(certificate, signed.end, SEQUENCE)
  const identifier = algorithm && elementAt(certificate, algorithm.start, OBJECT_IDENTIFIER)
  return identifier ? certificate.toString('hex', identifier.start, identifier.end) : null
}

/** Returns the offsets of the content of the DER element at `at`; null if the element is of another type or cut off. */
function elementAt(der: Buffer, at: number, type: number): { start: number; end: number } | null {
  const first = der[at + 1]
  if (der[at] !== type || first === undefined) return null
  // A length below 128 is this byte. Otherwise, its low bits are the number of bytes that the length has after it.
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + lengthBytes
  if (lengthBytes > 4 || start > der.length) return null
  const end = start + (lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes))
  return end > der.length ? null : { start, end }
}
