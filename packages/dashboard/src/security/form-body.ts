// Reads the URL-encoded body of a form, up to a size limit.

/** The fields of a form by name. Of several fields with one name, it has the first. */
export type FormFields = Readonly<Record<string, string>>

/**
 * Thrown for a body that is not a form, is too large, or is incomplete. `status` is the HTTP status of the response.
 */
export class FormError extends Error {
  override readonly name = 'FormError'
  readonly status: 400 | 413 | 415

  constructor(status: FormError['status'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const BYTES_MAX = 16_384
const TYPE = 'application/x-www-form-urlencoded'

/** Returns the form's fields. Rejects with `FormError`. */
export async function readForm(request: Request): Promise<FormFields> {
  const type = request.headers.get('content-type') ?? ''
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== TYPE)
    throw new FormError(415, `content-type: must be ${TYPE}; send the form from its page in the dashboard`)
  const fields = new URLSearchParams(await readText(request))
  return Object.fromEntries([...fields].toReversed())
}

async function readText(request: Request): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of request.body ?? []) {
      bytes += part.length
      if (bytes > BYTES_MAX)
        throw new FormError(
          413,
          `the form has more than ${BYTES_MAX} bytes; go back, shorten its fields, and send it again`,
        )
      parts.push(part)
    }
  } catch (cause) {
    if (cause instanceof FormError) throw cause
    throw new FormError(400, 'the form arrived incomplete; go back and send it again', { cause })
  }
  return Buffer.concat(parts).toString('utf8')
}
