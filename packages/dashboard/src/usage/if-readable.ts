import type { DashboardEventHandler } from '../dashboard-event.ts'
import { isControlDatabaseError } from '../routes/control-database-error.ts'

/** Where to report that usage can't be read. `requestId` is null outside of a request. */
export interface UsageReader {
  readonly services: { readonly emit: DashboardEventHandler }
  readonly requestId: string | null
}

/**
 * Returns the usage; null if the control database can't read it now. In a control database on several servers (Citus),
 * the server with the usage of a key can be down, while another has the key.
 */
export async function ifReadable<Usage>(reader: UsageReader, usage: Promise<Usage>): Promise<Usage | null> {
  try {
    return await usage
  } catch (cause) {
    if (!isControlDatabaseError(cause)) throw cause
    reader.services.emit({ event: 'control.query_failed', requestId: reader.requestId, cause })
    return null
  }
}
