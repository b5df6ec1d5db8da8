// Messages about the embedded PostgreSQL: cleanup of earlier runs, folders in unexpected places, and unexpected exits.

/**
 * The kind of a notice:
 * - `stale-lock`: the lock of a dead server was removed.
 * - `orphan-stopped`: the server of a killed run was stopped.
 * - `placed-outside`: the database is outside the data folder, which PostgreSQL's user cannot enter.
 * - `folder-gone`: the recorded folder of the database does not exist any more.
 * - `ended`: the server exited unexpectedly.
 */
export type NoticeType = 'stale-lock' | 'orphan-stopped' | 'placed-outside' | 'folder-gone' | 'ended'

/** A notice; `text` is the sentence that the demo prints. */
export type EmbeddedNotice = { type: NoticeType; text: string }
