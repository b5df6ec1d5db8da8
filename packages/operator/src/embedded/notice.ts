// Messages about the embedded PostgreSQL: cleanup of earlier runs, folders in unexpected places, and unexpected exits.

export type NoticeType = 'stale-lock' | 'orphan-stopped' | 'placed-outside' | 'folder-gone' | 'ended'

/** A notice; `text` is the sentence that the demo prints. */
export type EmbeddedNotice = { type: NoticeType; text: string }
