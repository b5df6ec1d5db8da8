// What every peer is told by its environment, and the line with which it says that it can be asked.

/** What a peer is started with. */
export interface PeerEnvironment {
  /** Port of 127.0.0.1. */
  readonly port: number
  /** URL of the store, with the role that may only read. */
  readonly databaseUrl: string
  /** URL of the control database, where the keys are. */
  readonly controlUrl: string
}

/** The environment of this process. Throws where something is missing. */
export function readPeerEnvironment(): PeerEnvironment {
  return {
    port: Number(required('PEER_PORT')),
    databaseUrl: required('PEER_DATABASE_URL'),
    controlUrl: required('PEER_CONTROL_URL'),
  }
}

/** Says that the port listens; `processId` is the process whose processor time counts. */
export function sayListening(port: number, processId: number): void {
  console.log(`listening on 127.0.0.1:${port}, process ${processId}`)
}

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name}: must be set`)
  return value
}
