/**
 * Thrown if a store can't be read. The message is for the log, because clients get a fixed text (reading R5). `cause`
 * is the underlying error, if there is one.
 */
export class StoreDatabaseError extends Error {
  override readonly name = 'StoreDatabaseError'
}
