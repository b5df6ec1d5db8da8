// Declares the parameters that several routes have.

import * as z from 'zod'

/** The parameters of a path without any. */
export const noParameters = z.strictObject({})
/** The query of a route without parameters. */
export const noQuery = z.strictObject({})
/** The body of a route without a body. */
export const noBody = z.undefined()

/** The store in a path. */
export const storeParameter = z.strictObject({
  store: z.string().min(1).meta({ description: 'ID or external ID of the store.' }),
})

/** The key in a path. */
export const keyParameter = z.strictObject({ key: z.string().min(1).meta({ description: 'ID of the key.' }) })

/** A time in a query. */
export const timeParameter = z.iso.datetime({ offset: true }).optional()

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1000
const LIMIT_RULE = `must be a whole number from 1 to ${LIMIT_MAX}`

/** The number of elements of a page. */
export const limit = z
  .string()
  .regex(/^\d{1,4}$/, { error: LIMIT_RULE })
  .transform(Number)
  .refine((value) => value >= 1 && value <= LIMIT_MAX, { error: LIMIT_RULE })
  .default(LIMIT_DEFAULT)
  // A query has only strings, but clients send a number.
  .meta({
    description: `Number of elements. Default: ${LIMIT_DEFAULT}.`,
    type: 'integer',
    minimum: 1,
    maximum: LIMIT_MAX,
    pattern: undefined,
  })
