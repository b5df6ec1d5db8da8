import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'

/** Returns the programs that are in no folder of `PATH`, and the files with an absolute path that do not exist. */
export function missingPrograms(programs: readonly string[]): string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const needed = programs.filter((program) => !path.isAbsolute(program))
  const missing = needed.filter((program) => !folders.some((folder) => isExecutable(path.join(folder, program))))
  return [...missing, ...programs.filter((file) => path.isAbsolute(file) && !existsSync(file))]
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
