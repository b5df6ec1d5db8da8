// What the embedded PostgreSQL did on its own account and a person may want to know.

/** What happened: see the text of each where it is made. */
export type NoticeType = 'stale-lock' | 'orphan-stopped' | 'placed-outside' | 'folder-gone' | 'ended'

/** One event and its sentence. */
export type EmbeddedNotice = { type: NoticeType; text: string }
