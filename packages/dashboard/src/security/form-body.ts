// Reads the body of a form: as browsers send forms without files, of bounded size, in parts or whole.

/** The fields of a form by name; of a repeated name, the first. */
export type FormFields = Readonly<Record<string, string>>

/** A body that is no form of ours. */
export class FormError extends Error {
  override readonly name = 'FormProblem'
  readonly status: 400 | 413 | 415

  constructor(status: FormError['status'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const BYTES_MAX = 16_384
const TYPE = 'application/x-www-form-urlencoded'

/** The form's fields. Throws `FormProblem`. */
export async function readForm(request: Request): Promise<FormFields> {
  const type = request.headers.get('content-type') ?? ''
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== TYPE) throw new FormError(415, `a form must be ${TYPE}`)
  const fields = new URLSearchParams(await readText(request))
  return Object.fromEntries([...fields].toReversed())
}

async function readText(request: Request): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of request.body ?? []) {
      bytes += part.length
      if (bytes > BYTES_MAX) throw new FormError(413, `a form has at most ${BYTES_MAX} bytes`)
      parts.push(part)
    }
  } catch (cause) {
    if (cause instanceof FormError) throw cause
    throw new FormError(400, 'the form did not arrive whole', { cause })
  }
  return Buffer.concat(parts).toString('utf8')
}
