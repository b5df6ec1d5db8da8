/**
 * Returns the body of a request as UTF-8 text; empty without a body. Returns null as soon as more than `bytesMax` bytes
 * have arrived, without reading the rest. Rejects if the body arrives incomplete.
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
