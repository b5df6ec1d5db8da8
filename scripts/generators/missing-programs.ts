import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Returns the programs that are in no folder of `PATH`. */
export function missingPrograms(programs: readonly string[]): string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return programs.filter((program) => !folders.some((folder) => isExecutable(path.join(folder, program))))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
