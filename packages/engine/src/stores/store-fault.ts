// A store database could not be read. The message is for the log; a client gets a fixed text (R5).

/** Why a store could not be read. The cause is the error of the PostgreSQL client or the system, if there is one. */
export class StoreDatabaseError extends Error {
  override readonly name = 'StoreDatabaseError'
}
