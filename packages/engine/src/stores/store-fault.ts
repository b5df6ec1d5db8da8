// A store database could not be read. The message is for the log; a client gets a fixed text (R5).

/** Why a store could not be read; the cause is the driver's or the system's error where there is one. */
export class StoreDatabaseFault extends Error {
  override readonly name = 'StoreDatabaseFault'
}
