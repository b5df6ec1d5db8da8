// Turns on OpenTelemetry for the nodes of this process. Load it with `node --import`.

import { registerTelemetry } from './telemetry.ts'

// The SDK is loaded only when a node starts. A process can also run a command that needs no SDK.
registerTelemetry(async (version, emit) => (await import('./start-sdk.ts')).startSdk(version, emit))
