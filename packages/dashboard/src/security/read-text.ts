/**
 * Returns the body of a request as text; null if it has more than `bytesMax` bytes. Rejects if the body arrives
 * incomplete.
 */
export async function readText(request: Request, bytesMax: number): Promise<string | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.length
    if (bytes > bytesMax) return null
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
