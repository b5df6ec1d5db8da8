// Bounds the number of series with a database server as a label. A fleet can have a server for each store.

/** Maximum number of servers with a label of their own. Prometheus stores each series separately. */
const LABELS_MAX = 50
/** Label of all further servers. */
const OTHER = 'other'

/** Assigns labels to servers in the order in which events first name them. A server has its label until the restart. */
export class ServerLabels {
  private readonly known = new Set<string>()

  /** Returns the name of the server, or `other` after the first `LABELS_MAX` servers. */
  labelOf(server: string): string {
    if (this.known.has(server)) return server
    if (this.known.size >= LABELS_MAX) return OTHER
    this.known.add(server)
    return server
  }
}
