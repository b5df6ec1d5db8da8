// Reads a peer's environment variables, and prints the line that says that the peer listens.

/** What `startPeer` passes to a peer. */
export interface PeerEnvironment {
  /** Port on 127.0.0.1 for the peer to listen on. */
  readonly port: number
  /** URL of the store, for the role that can only read. */
  readonly databaseUrl: string
  /** URL of the control database, which contains the keys. */
  readonly controlUrl: string
}

/** Returns the environment of this process. Throws if a variable is missing. */
export function readPeerEnvironment(): PeerEnvironment {
  return {
    port: Number(required('PEER_PORT')),
    databaseUrl: required('PEER_DATABASE_URL'),
    controlUrl: required('PEER_CONTROL_URL'),
  }
}

/**
 * Prints that the peer listens on the port. `startPeer` waits for this line. `processId` is the process whose processor
 * time counts.
 */
export function printListening(port: number, processId: number): void {
  console.log(`listening on 127.0.0.1:${port}, process ${processId}`)
}

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name}: must be set`)
  return value
}
