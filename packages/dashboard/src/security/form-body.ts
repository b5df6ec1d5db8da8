// Reads the URL-encoded body of a form, up to a size limit.

import { readText } from './read-text.ts'

/** The fields of a form by name. If several fields have one name, only the first counts. */
export type FormFields = Readonly<Record<string, string>>

/**
 * Thrown for a body that is not a form (415), is too large (413), or is incomplete (400). `status` is the HTTP status
 * of the response.
 */
export class FormError extends Error {
  override readonly name = 'FormError'
  readonly status: 400 | 413 | 415

  constructor(status: FormError['status'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Maximum size of a form's body in bytes. */
const BYTES_MAX = 16_384
const TYPE = 'application/x-www-form-urlencoded'

/** Returns a form's fields. Rejects with `FormError` for another type, too large a body, or an incomplete body. */
export async function readForm(request: Request): Promise<FormFields> {
  const type = request.headers.get('content-type') ?? ''
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== TYPE)
    throw new FormError(415, `content-type: must be ${TYPE}; send the form from its page in the dashboard`)
  const fields = new URLSearchParams(await readFormText(request))
  // Of several fields with one name, `fromEntries` uses the last one, so the first must come last.
  return Object.fromEntries([...fields].toReversed())
}

async function readFormText(request: Request): Promise<string> {
  const text = await readText(request, BYTES_MAX).catch((cause: unknown) => {
    throw new FormError(400, 'the form arrived incomplete; go back and send it again', { cause })
  })
  if (text !== null) return text
  throw new FormError(413, `the form has more than ${BYTES_MAX} bytes; go back, shorten its fields, and send it again`)
}
