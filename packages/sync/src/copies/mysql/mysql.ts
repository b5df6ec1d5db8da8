// Creates MySQL and MariaDB copies. The package exports this module and not the class, so that users of the package see
// only the interface `Copy`.

import type { Copy } from '../copy.ts'
import { MySqlCopy } from './mysql-copy.ts'

/**
 * Returns a copy in an existing database of MySQL or MariaDB. Throws `CopyError` if the URL is invalid. `open` and
 * `peek` throw `CopyError` if the package `mysql2` is not installed.
 */
export function mySqlCopy(url: string): Copy {
  return new MySqlCopy(url)
}
