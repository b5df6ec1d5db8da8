// Creates the command-line programs of the repository to read their commands, but runs none of them.

import { createProgram as createStoreExport, COMMON_HELP as STORE_EXPORT_HELP } from '../packages/operator/src/cli.ts'
import {
  createProgram as createStoreSync,
  EXAMPLES as STORE_SYNC_EXAMPLES,
  COMMON_HELP as STORE_SYNC_HELP,
} from '../packages/sync/src/cli/cli.ts'

/** A program or one of its commands, as the library commander represents both. */
export type Command = ReturnType<typeof createStoreExport>

const ignore = () => undefined

/** `store-export`, with the help that applies to all its commands. */
export const STORE_EXPORT = {
  program: createStoreExport({ env: {}, folder: '.' }, false),
  help: STORE_EXPORT_HELP,
}

/** `store-sync`, with the help that applies to all its commands, and examples. */
export const STORE_SYNC = {
  program: createStoreSync({
    env: {},
    prompt: null,
    signal: new AbortController().signal,
    output: { writeMessage: ignore, writeResult: ignore, writeData: async () => undefined, columns: null },
  }),
  help: STORE_SYNC_HELP,
  examples: STORE_SYNC_EXAMPLES,
}
