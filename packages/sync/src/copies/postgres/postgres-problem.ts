// What a PostgreSQL server refused, as a sentence that names the copy and says what to do.

import postgres from 'postgres'
import { CopyLost, CopyProblem } from '../copy.ts'

/** By SQLSTATE: what another program is the reason of, and passes. */
const PASSING: ReadonlySet<string> = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available, or its timeout
  '57014', // canceled, or the statement's timeout
])

/** By SQLSTATE: what somebody has to see to. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['42501', 'may not be written by this role: grant it the right, or give it a schema of its own'],
  ['54001', 'cannot hold JSON that is nested so deeply: raise max_stack_depth of the server, and run again'],
  ['25006', 'is read-only: give the address of the server that takes writes'],
  [
    '53100',
    'has no room: the disk of the server is full; make room and run again, and the copy goes on from what it has',
  ],
])

/** Whether the server refused a statement and goes on with the connection. */
export function isRefusal(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError && !['FATAL', 'PANIC'].includes(error.severity)
}

/** Whether the server rejects the credentials: wrong password, unknown role or database. */
export function isDenied(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^(?:28...|3D000)$/.test(error.code)
}

/**
 * A refusal for people, with itself as the cause; what is nobody's fault but ours is given back as it is. `CopyLost` where
 * a later run may succeed, `CopyProblem` where somebody has to do something first. `name` is what messages call the copy.
 */
export function postgresProblem(error: postgres.PostgresError, name: string): Error {
  const { code, message } = error
  if (PASSING.has(code))
    return new CopyLost(`another program was in the way of ${name} (${message}): run again`, { cause: error })
  const sentence = SENTENCES.get(code)
  return sentence === undefined ? error : new CopyProblem(`${name} ${sentence} (${message})`, { cause: error })
}
