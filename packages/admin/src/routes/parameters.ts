// Declares the parameters that several routes have.

import * as z from 'zod'

/** The parameters of a path without any. */
export const noParameters = z.strictObject({})
/** The query of a route without parameters. */
export const noQuery = z.strictObject({})
/** The body of a route without a body. */
export const noBody = z.undefined()

/** A string that names something in the database. PostgreSQL accepts no NUL character. */
export const reference = z.string().refine((text) => !text.includes('\0'), { error: 'must not have a NUL character' })

/** The store in a path. */
export const storeParameter = z.strictObject({
  store: reference.min(1).meta({ description: 'ID or external ID of the store.' }),
})

/** The key in a path. */
export const keyParameter = z.strictObject({ key: z.string().min(1).meta({ description: 'ID of the key.' }) })

/** First and last time that PostgreSQL and ISO 8601 write in the same way. */
const TIMES = { first: new Date('0001-01-01T00:00:00Z'), last: new Date('9999-12-31T23:59:59.999Z') }

/** Whether the time is in the years 1 to 9999 in UTC. */
export function isInYears(time: string): boolean {
  const at = new Date(time)
  return at >= TIMES.first && at <= TIMES.last
}

/** An optional time in a query, with an offset. */
export const timeParameter = z.iso
  .datetime({ offset: true, abort: true })
  .refine(isInYears, { error: 'must be in the years 1 to 9999 in UTC' })
  .optional()

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1000
const LIMIT_RULE = `must be a whole number from 1 to ${LIMIT_MAX}`

/** The number of elements of a page: a number from 1 to 1000, 100 by default. */
export const limit = z
  .string()
  .regex(/^\d{1,4}$/, { error: LIMIT_RULE })
  .transform(Number)
  .refine((value) => value >= 1 && value <= LIMIT_MAX, { error: LIMIT_RULE })
  .default(LIMIT_DEFAULT)
  // A query has only strings, but the document declares a number, without the pattern of the string.
  .meta({
    description: `Number of elements. Default: ${LIMIT_DEFAULT}.`,
    type: 'integer',
    minimum: 1,
    maximum: LIMIT_MAX,
    pattern: undefined,
  })
