// Installs Python programs into a folder of their own, and runs programs.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

const CACHE = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'connectors')
/** Number of characters from the end of a program's output that an error shows. */
const SHOWN_CHARACTERS = 3000

/** A virtual environment with pinned packages. */
export interface PythonTool {
  readonly version: string
  /** Returns the path of a program of the environment. */
  program(name: string): string
}

export class NotInstalledError extends Error {
  override readonly name = 'NotInstalledError'
}

/** Calls `work` with a new folder, and removes the folder. */
export async function withWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(path.join(CACHE, 'work-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Installs packages such as `duckdb==1.5.3`, and folders of this repository, which are installed again each time.
 * Throws `NotInstalledError` if Python or pip fails, for example without a network.
 */
export async function installTool(
  name: string,
  packages: readonly string[],
  folders: readonly string[] = [],
): Promise<PythonTool> {
  const folder = path.join(CACHE, name)
  const program = (file: string) => path.join(folder, 'bin', file)
  const marker = path.join(folder, 'packages.txt')
  try {
    const isInstalled = existsSync(marker) && (await readFile(marker, 'utf8')) === packages.join('\n')
    if (!isInstalled) {
      await runProgram('python3', ['-m', 'venv', '--clear', folder])
      await runProgram(program('pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
      await writeFile(marker, packages.join('\n'))
    }
    const reinstall = ['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--force-reinstall']
    if (folders.length > 0) await runProgram(program('pip'), [...reinstall, ...folders])
  } catch (cause) {
    throw new NotInstalledError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
  return { version: packages.join(', ').replaceAll('==', ' '), program }
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/**
 * Runs a program and returns its standard output. Rejects if it fails, with the end of its standard error, or of its
 * output if it printed no error.
 */
export function runProgram(program: string, parameters: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env, input } = options
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd, env: { ...process.env, ...env } })
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-SHOWN_CHARACTERS)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output)
      const shown = errors === '' ? output.slice(-SHOWN_CHARACTERS) : errors
      reject(new Error(`${path.basename(program)} ended with ${signal ?? code}: ${shown}`))
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
  })
}

/** Reads tables of a database with `dump.py`. Returns pairs of a table's name and a row. */
export async function dumpTables(
  tool: PythonTool,
  from: { readonly kind: 'duckdb' | 'postgres' | 'sqlite'; readonly database: string; readonly schema: string },
  tables: readonly string[],
): Promise<[table: string, row: Record<string, unknown>][]> {
  const script = path.join(import.meta.dirname, 'dump.py')
  const text = await runProgram(tool.program('python'), [script, from.kind, from.database, from.schema, ...tables])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
