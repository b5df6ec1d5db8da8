// Notices of the embedded PostgreSQL for people: cleanup of earlier runs, and unexpected exits.

/** The kind of a notice. */
export type NoticeType = 'stale-lock' | 'orphan-stopped' | 'placed-outside' | 'folder-gone' | 'ended'

/** A notice with a sentence for people. */
export type EmbeddedNotice = { type: NoticeType; text: string }
