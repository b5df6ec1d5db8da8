// Loads mysql2, which connects to MySQL and MariaDB. It is an optional dependency, because most users don't need it.

import { CopyError } from '../copy.ts'

/** The members of mysql2 that a copy uses. They are declared here, because the package's types can be missing. */
export interface MySqlDriver {
  createConnection(options: Readonly<Record<string, unknown>>): Promise<MySqlConnection>
}

export interface MySqlConnection {
  /** Resolves with the rows or the number of changed rows, and with a description of the columns. */
  query(text: string, values: readonly unknown[]): Promise<readonly [unknown, unknown]>
  on(event: 'error', listener: (error: unknown) => void): unknown
  /** Closes the connection after the running statement. */
  end(): Promise<void>
  /** Closes the connection at once. */
  destroy(): void
}

/** The package to install, in the tested version. */
const PACKAGE = 'mysql2@3.24.6'
/** Name of the module to import. It is a variable, because the package is optional and its types can be missing. */
const MODULE: string = 'mysql2/promise'

/**
 * Returns the package. Throws `CopyError`, which says what to install, whatever the reason of the failure; `cause` has
 * the original error. Tests pass another `load`.
 */
export async function loadMySql(load: () => Promise<unknown> = () => import(MODULE)): Promise<MySqlDriver> {
  try {
    return (await load()) as MySqlDriver
  } catch (cause) {
    throw new CopyError(`mysql:// needs a package that is not installed; run npm install ${PACKAGE}`, { cause })
  }
}
